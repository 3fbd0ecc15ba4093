#!/usr/bin/env node
// UCI on standard input and output, or a command given by the arguments: `ibex-chess`, `ibex-chess bench`.

import { createInterface } from "node:readline";

import { afterPonderhit, isEndless, isSearch, isTurn, KEYWORDS, PROMPT, word } from "./engine.js";
import { load } from "./node.js";
import { nearest } from "./spelling.js";

const USAGE = `ibex-chess              the chess engine Ibex: UCI on standard input and output
ibex-chess COMMAND...   one line of UCI, such as "bench" or "go depth 10"
`;

const words = process.argv.slice(2);

/** Writes a text and ends the process. */
async function leaveWith(status, stream, text) {
  await new Promise((written) => stream.write(text, written));
  process.exit(status);
}

/** Why the arguments are not a line that the engine carries out; undefined if they are. */
function refusal() {
  const first = word(words.join(" "));
  if (first === "" || first.startsWith("#") || PROMPT.has(first) || KEYWORDS.has(first)) return undefined;
  const meant = nearest(first, [...PROMPT, ...KEYWORDS]);
  if (meant === undefined) return `no command '${first}'; see ibex-chess --help`;
  return `no command '${first}'; did you mean '${meant}'? See ibex-chess --help`;
}

// No line of UCI begins with a dash.
if (words[0]?.startsWith("-")) {
  const isHelp = words[0] === "-h" || words[0] === "--help";
  await leaveWith(isHelp ? 0 : 2, isHelp ? process.stdout : process.stderr, USAGE);
}
// The engine ignores unknown lines, and a script would take that for success.
const refused = refusal();
if (refused !== undefined) await leaveWith(2, process.stderr, `${refused}\n`);

// If the reader goes away, as `head` does, the session ends quietly.
process.stdout.on("error", () => process.exit(1));

const engine = await load().catch((error) => {
  const advice = error.code === "ENOENT" ? " (in the source, make web builds it)" : "";
  return leaveWith(2, process.stderr, `ibex-chess: cannot load ibex.wasm: ${error.message}${advice}\n`);
});
let ending = false;
/** The last search, and how many are unanswered. Only the last one can wait for a line that never comes. */
let last = "";
let unanswered = 0;
/** How many `isready` of the user are unanswered. */
let asked = 0;

function say(line) {
  if (isSearch(line)) {
    last = line;
    unanswered += 1;
  }
  // A perft itself ends an infinite search, and a `stop` would end the perft.
  if (word(line) === "stop" || (isTurn(line) && !isSearch(line))) last = "";
  if (word(line) === "ponderhit") last = afterPonderhit(last);
  if (word(line) === "isready") asked += 1;
  engine.postMessage(line);
}

/** Ends the process once its output has been written: some systems write to pipes later. */
function leave() {
  process.stdout.write("", () => process.exit());
}

/** Leaves when everything is done. */
function end() {
  ending = true;
  if (!engine.searching) engine.postMessage("isready");
  else stopIfEndless();
}

/** Leaves when earlier lines have been answered, or after a second. */
function quit() {
  input.removeAllListeners();
  input.close();
  ending = true;
  engine.postMessage(engine.searching ? "stop" : "isready");
  setTimeout(() => process.exit(), 1000);
}

/** After the end of the input, no `stop` can come. The searches before the last one keep their limits. */
function stopIfEndless() {
  if (unanswered === 1 && isEndless(last)) engine.postMessage("stop");
}

engine.onmessage = (line) => {
  const done = ending && !engine.searching;
  if (line === "readyok") {
    if (done && asked === 0) return leave();
    asked -= 1;
  }
  process.stdout.write(`${line}\n`);
  if (engine.failure !== null) process.exitCode = 1;
  if (!line.startsWith("bestmove")) return;
  unanswered -= 1;
  if (done) engine.postMessage("isready");
  else if (ending) stopIfEndless();
};

let input;
if (words.length > 0) {
  say(words.join(" "));
  end();
} else {
  input = createInterface({ input: process.stdin });
  input.on("line", (line) => {
    if (word(line) === "quit") return quit();
    say(line);
  });
  input.on("close", end);
}
