#!/usr/bin/env node
// UCI on standard input and output, or the command that the arguments are: `ibex-chess`, `ibex-chess bench`.

import { createInterface } from "node:readline";

import { isEndless, isSearch, word } from "./engine.js";
import { load } from "./node.js";

const engine = await load();
let ending = false;
/** Whether the last search waits for `stop` or `ponderhit`, which nobody can say after the end of the input. */
let endless = false;
/** How many `isready` of the user have no answer yet. */
let asked = 0;

function say(line) {
  if (isSearch(line)) endless = isEndless(line);
  if (word(line) === "isready") asked += 1;
  engine.postMessage(line);
}

/** Leaves when everything is done. */
function end() {
  ending = true;
  if (!engine.searching) engine.postMessage("isready");
  else if (endless) engine.postMessage("stop");
}

engine.onmessage = (line) => {
  const last = ending && !engine.searching;
  if (line === "readyok") {
    if (last && asked === 0) process.exit(0);
    asked -= 1;
  }
  process.stdout.write(`${line}\n`);
  if (last && line.startsWith("bestmove")) engine.postMessage("isready");
};

const words = process.argv.slice(2);
if (words.length > 0) {
  say(words.join(" "));
  end();
} else {
  const input = createInterface({ input: process.stdin });
  input.on("line", (line) => {
    if (word(line) === "quit") process.exit(0);
    say(line);
  });
  input.on("close", end);
}
