// The built page in a browser: a game, an analysis, node counts, bad input, what a browser may refuse, and a visit without
// a network.
//
// `CHROMIUM` names the browser, `IBEX` the native program for the comparison, `SHOTS` a folder for pictures.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";
import { build, transformWithEsbuild } from "vite";

const BROWSER = process.env.CHROMIUM || "/usr/bin/chromium";
const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
const POSITIONS = [
  "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
  "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
  "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
  "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
  "r2q1rk1/ppp2ppp/2n1bn2/2b1p3/3pP3/3P1NPP/PPP1NPB1/R1BQ1RK1 b - - 1 9",
  "8/8/4k3/8/4K3/8/3R4/b7 w - - 40 90",
  "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1",
  "2r3k1/1q1nbppp/r3p3/3pP3/pPpP4/P1Q2N2/2RN1PPP/2R4K b - b3 0 23",
  "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9",
  "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1",
];

const skip = !existsSync(BROWSER) && `there is no browser at ${BROWSER}`;
const profile = mkdtempSync(join(tmpdir(), "ibex-page-"));
let server;
let context;
let page;
const complaints = [];

/** A plain host: no headers, as the cheapest web space has none. One file may be missing. */
async function host(missing) {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://localhost").pathname.replace(/^\/sub\//, "") || "index.html";
    try {
      if (path === missing) throw new Error("missing");
      const bytes = await readFile(join(DIST, path));
      response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, resolve));
  return server;
}

const address = (server) => `http://localhost:${server.address().port}/sub/`;

before(async () => {
  if (skip) return;
  server = await host();
  context = await chromium.launchPersistentContext(profile, {
    executablePath: BROWSER,
    viewport: { width: 1280, height: 900 },
    hasTouch: true,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  await page.goto(address(server));
  await ready();
});

after(async () => {
  await context?.close();
  server?.close();
  rmSync(profile, { recursive: true, force: true });
});

const status = () => page.textContent("#status");
const ready = (which = page) =>
  which.waitForFunction(() => !/Loading|^$/.test(document.querySelector("#status").textContent), null, { timeout: 60_000 });
const until = (pattern, timeout = 60_000) =>
  page.waitForFunction((text) => new RegExp(text).test(document.querySelector("#status").textContent), pattern, { timeout });
const wholeGameDone = () =>
  page.waitForFunction(() => document.querySelector("#whole").textContent === "Whole game", null, { timeout: 60_000 });
const open = (at) => page.locator("details").nth(at).evaluate((details) => (details.open = true));

async function setUp(fen) {
  await open(0);
  await page.fill("#fen", fen);
  await page.click("#set-fen");
}

/** Makes a move: a click, or a touch, on each of its squares. */
async function move(from, to, press = (x, y) => page.mouse.click(x, y)) {
  const box = await page.locator("#board cg-board").boundingBox();
  const at = (square) => {
    const size = box.width / 8;
    return [box.x + (square.charCodeAt(0) - 96.5) * size, box.y + (8.5 - Number(square[1])) * size];
  };
  for (const square of [from, to]) await press(...at(square));
}

test("the service worker isolates the page on a plain host", { skip }, async () => {
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
});

test("a move is answered, and can be taken back", { skip }, async () => {
  await page.selectOption("#movetime", "100");
  assert.match(await status(), /Your move: White/);
  await move("e2", "e4");
  await page.waitForFunction(() => document.querySelectorAll("#moves button").length === 2);
  await until("Your move");
  await page.click("#take-back");
  assert.equal(await page.locator("#moves button").count(), 0);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.waitForTimeout(300);
  await move("d2", "d4", (x, y) => page.touchscreen.tap(x, y));
  await page.waitForFunction(() => document.querySelectorAll("#moves button").length === 2);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.click("#take-back");
});

test("a game to its end, Chess960, both sides by the engine", { skip, timeout: 400_000 }, async () => {
  await page.check("#use960");
  await page.fill("#number960", "0");
  await page.evaluate(() => {
    const slider = document.querySelector("#elo");
    slider.value = slider.min;
    slider.dispatchEvent(new Event("input"));
    slider.dispatchEvent(new Event("change"));
  });
  await page.selectOption("#colour", "none");
  await page.click("#new-game");
  await until("Checkmate|draw", 380_000);
  await open(0);
  // At the lowest strength it may be a short one.
  assert.ok((await page.locator("#moves button").count()) >= 3);
  await page.uncheck("#use960");
  await page.selectOption("#colour", "white");
  await page.evaluate(() => {
    const slider = document.querySelector("#elo");
    slider.value = slider.max;
    slider.dispatchEvent(new Event("change"));
  });
});

test("an analysis says what its scores are, and stops", { skip }, async () => {
  await setUp("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1");
  await page.click("#analyse");
  await page.waitForFunction(() => document.querySelector("#lines")?.textContent.includes("proved mate"));
  assert.match(await page.textContent("#lines li:first-child b"), /^#1$/);
  assert.equal(await page.getAttribute("#wdl", "aria-label"), "White 100%, draw 0%, Black 0%");
  assert.match(await page.getAttribute("#graph", "aria-label"), /, here 100%$/);
  await page.click("#analyse");
  await setUp(POSITIONS[0]);
  assert.equal(await page.getAttribute("#wdl", "aria-label"), "Chances of White, draw, Black");
  await page.click("#analyse");
  await page.waitForFunction(() => document.querySelectorAll("#lines li").length === 3);
  assert.match(await page.textContent("#lines"), /evaluation/);
  await page.waitForFunction(() => /depth 1\d/.test(document.querySelector("#speed").textContent), null, { timeout: 60_000 });
  await page.click("#analyse");
  const speed = await page.textContent("#speed");
  assert.match(speed, /^depth 1\d/);
  await page.waitForTimeout(700);
  assert.equal(await page.textContent("#speed"), speed);
  // A click on a move of a line steps into it; the game stays.
  await page.locator("#lines li").first().locator("button").nth(1).click();
  assert.ok(await page.isVisible("#variation"));
  await page.click("#leave");
  assert.ok(await page.isHidden("#variation"));
  // A click on the tab that is open ends nothing.
  await page.click("#analyse");
  await page.waitForFunction(() => document.querySelectorAll("#lines li").length === 3);
  await page.click("#tab-analyse");
  assert.equal(await page.textContent("#analyse"), "Stop");
  assert.equal(await page.locator("#lines li").count(), 3);
  // No game is played in a variation.
  await page.click("#analyse");
  await page.locator("#lines li").first().locator("button").nth(1).click();
  assert.ok(await page.isVisible("#variation"));
  await page.click("#tab-play");
  assert.ok(await page.isHidden("#variation"));
  assert.equal(await status(), "Your move: White.");
});

test("an analysis that waits for the end of another one can be stopped", { skip }, async () => {
  const { other, errors } = await another(() => {
    window.said = [];
    window.Worker = class extends Worker {
      postMessage(message) {
        if (typeof message === "string") window.said.push(message);
        super.postMessage(message);
      }
      addEventListener(type, listener) {
        // The end of a search is heard late.
        const late = (event) => /^bestmove/.test(event.data);
        super.addEventListener(type, (event) => (late(event) ? setTimeout(() => listener(event), 500) : listener(event)));
      }
    };
  });
  await ready(other);
  await other.evaluate(() => {
    document.querySelector("#pgn").value = "1. e4 e5 *";
    document.querySelector("#load-pgn").click();
  });
  await other.click("#analyse");
  await other.waitForFunction(() => document.querySelectorAll("#lines li").length > 0);
  await other.evaluate(() => {
    document.querySelector("#back").click();
    document.querySelector("#analyse").click();
  });
  await other.waitForTimeout(1500);
  assert.equal(await other.textContent("#analyse"), "Start");
  const said = await other.evaluate(() => window.said);
  assert.equal(said.filter((line) => line.startsWith("go ")).length, 1, said.join("\n"));
  assert.deepEqual(errors, []);
  await other.close();
});

test("a position that Ibex refuses is named, and nothing seems to run", { skip }, async () => {
  const refusal = "Ibex does not play from here: impossible position: a side has more than 270 moves.";
  await setUp("QQQQQQBk/Q5RB/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1");
  await page.click("#analyse");
  await until(refusal);
  assert.equal(await page.textContent("#analyse"), "Start");
  await page.click("#tab-play");
  await page.selectOption("#colour", "black");
  await until(refusal);
  await type("b1b3");
  assert.equal(await page.textContent("#move-error"), refusal);
  await page.selectOption("#colour", "white");
  await page.click("#new-game");
  assert.equal(await status(), "Your move: White.");
  await page.click("#tab-analyse");
});

test("a hash that the browser refuses is reported, and the analysis goes on", { skip }, async () => {
  await open(1);
  await page.evaluate(() => document.querySelector("#hash").add(new Option("4096")));
  await page.selectOption("#hash", "4096");
  await page.click("#analyse");
  await page.waitForFunction(() => /depth \d/.test(document.querySelector("#speed").textContent));
  assert.match(await page.textContent("#remark"), /hash/i);
  await page.click("#analyse");
  // The remark was about that choice.
  await page.selectOption("#hash", "16");
  assert.equal(await page.textContent("#remark"), "");
  await page.click("#analyse");
  await page.waitForFunction(() => /depth \d/.test(document.querySelector("#speed").textContent));
  assert.equal(await page.textContent("#remark"), "");
  await page.click("#analyse");
  await page.selectOption("#hash", "64");
});

test("a wrong FEN and a wrong PGN are reported, and nothing is lost", { skip }, async () => {
  await page.fill("#pgn", '[White "A"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *');
  await page.click("#load-pgn");
  assert.equal(await page.locator("#moves button").count(), 5);
  for (const [pgn, error] of [
    ["1. e4 e5 2. Nf9 *", /'Nf9' is no move/],
    ["1. e4 e5 2. Nf4 *", /Move 2\. 'Nf4' is not legal/],
    ["1. e4 {a (comment} e5 (1... c5 2. Nf3) 2. Ke3", /Move 2\. 'Ke3' is not legal/],
    ["some words", /'some' is no move/],
    ['[Variant "Bughouse"]\n\n1. e4 *', /^(?!.*ERR_).*variant/],
    ["", /no game/],
  ]) {
    await page.fill("#pgn", pgn);
    await page.click("#load-pgn");
    assert.match(await page.textContent("#pgn-error"), error, pgn);
  }
  for (const fen of [
    "junk",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/4KK2 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3[ab] w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - - 3+x 0 1",
    " ",
  ]) {
    await page.fill("#fen", fen);
    await page.click("#set-fen");
    // The names of the library's errors mean nothing to a user.
    assert.match(await page.textContent("#fen-error"), /^(?!.*ERR_).{6}/, fen);
    assert.equal(await page.inputValue("#fen"), fen);
  }
  assert.equal(await page.locator("#moves button").count(), 5);
  await page.keyboard.press("Escape");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.textContent("#moves .here"), "e4");
});

test("a whole game is analysed and drawn", { skip }, async () => {
  const said = await page.evaluateHandle(() => {
    const said = [];
    const status = document.querySelector("#status");
    new MutationObserver(() => said.push(status.textContent)).observe(status, { childList: true });
    return said;
  });
  await page.click("#whole");
  await wholeGameDone();
  // Half a second is too short to read each position aloud.
  assert.deepEqual(await said.jsonValue(), ["Analysing the game…", "Black to move."]);
  const points = await page.locator("#graph .curve").getAttribute("points");
  assert.equal(points.split(" ").length, 6);
});

test("ten positions have the native node counts", { skip: skip || (!process.env.IBEX && "IBEX is not set") }, async () => {
  const files = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  const wasm = files.find((name) => name.endsWith(".wasm"));
  const worker = files.find((name) => /worker.*\.js$/.test(name)) ?? null;
  assert.ok(wasm !== undefined, files.join("\n"));
  const told = await page.evaluate(
    async ({ wasm, worker, positions }) => {
      const module = await WebAssembly.compile(await (await fetch(wasm)).arrayBuffer());
      const engine = new Worker(worker, { type: "module" });
      const lines = [];
      let done;
      engine.onmessage = ({ data }) => (data.startsWith("bestmove") ? done() : / nodes /.test(data) && lines.push(data));
      engine.postMessage({ module, flags: null });
      const counts = [];
      for (const fen of positions) {
        const answer = new Promise((resolve) => (done = resolve));
        for (const line of ["ucinewgame", `position fen ${fen}`, "go nodes 20000"]) engine.postMessage(line);
        await answer;
        // The last line has all the nodes that were allowed, whatever was searched; those before it have not.
        counts.push(lines.splice(0));
      }
      engine.terminate();
      return counts;
    },
    { wasm, worker, positions: POSITIONS },
  );
  for (const [at, fen] of POSITIONS.entries()) {
    const input = `position fen ${fen}\ngo nodes 20000\n`;
    const native = execFileSync(process.env.IBEX, { input, encoding: "utf8" }).split("\n");
    // Of the depths beyond, a search that is over in a moment leaves some out, by the clock.
    const first = (lines) => lines.filter((line) => /^info depth \d .* nodes /.test(line));
    const search = (lines) => first(lines).map((line) => line.replace(/ (nps|hashfull|time) \d+/g, ""));
    assert.deepEqual(search(told[at]), search(native), fen);
    assert.ok(first(told[at]).length > 5, fen);
  }
});

/** The game as PGN, as the button for it copies it. */
async function copied() {
  await page.evaluate(() => {
    Object.defineProperty(navigator.clipboard, "writeText", { configurable: true, value: (text) => (window.copied = text) });
    document.querySelector("#copy-pgn").click();
  });
  return page.evaluate(() => window.copied);
}

async function load(pgn) {
  await open(0);
  await page.fill("#pgn", pgn);
  await page.click("#load-pgn");
}

async function type(text) {
  await page.fill("#move", text);
  await page.press("#move", "Enter");
}

test("moves can be typed", { skip }, async () => {
  await load("1. e4 e5 2. Nf3 Nc6 *");
  const wrong = async (...texts) => {
    for (const [text, error] of texts) {
      await type(text);
      assert.match(await page.textContent("#move-error"), error, text);
    }
  };
  await wrong(["xyz", /is no move/], ["Ke5", /is no move/], ["e1e5", /is not legal/]);
  for (const text of ["f1c4", "Bc5"]) await type(text);
  // Where the king may castle, too, a wrong square is no castling.
  const moves = await page.textContent("#moves");
  for (const text of ["e1e5", "e1e3", "e1h8", "e1f2", "e1f3", "e1c1", "e1a1", "e1g1q"]) await wrong([text, /is not legal/]);
  assert.equal(await page.textContent("#moves"), moves);
  for (const text of ["e1g1", "e1h1", "o-o", "0–0"]) {
    await type(text);
    assert.equal(await page.textContent("#moves .here"), "O-O", text);
    await page.click("#back");
  }
  // As the keyboard of a phone writes them, too.
  for (const text of ["0-0", "g8f6", "d2d3", "d6!", "c3", "bg4", "nbd2", "Qd7?!", "a4", "e8c8"]) await type(text);
  assert.equal(await page.textContent("#move-error"), "");
  assert.match((await copied()).replace(/\s+/g, " "), /3\. Bc4 Bc5 4\. O-O Nf6 5\. d3 d6 6\. c3 Bg4 7\. Nbd2 Qd7 8\. a4 O-O-O/);
  // In Chess960 the king may be far from where castling takes it, or stand beside it.
  for (const [rank, text] of [["R3K3", "e1c1"], ["RK6", "b1c1"], ["RK6", "b1a1"], ["3K3R", "d1g1"]]) {
    await setUp(`4k3/8/8/8/8/8/8/${rank} w ${rank.endsWith("R") ? "H" : "A"} - 0 1`);
    await type(text);
    const expected = text === "b1c1" ? "Kc1" : rank.endsWith("R") ? "O-O" : "O-O-O";
    assert.equal(await page.textContent("#moves button"), expected, `${rank} ${text}`);
  }
  await setUp("8/P6k/8/8/8/8/8/K7 w - - 0 1");
  await wrong(["a7a8", /q, r, b or n/], ["a8", /q, r, b or n/], ["a8k", /is no move/]);
  await type("a7a8n");
  assert.equal(await page.textContent("#moves button"), "a8=N");
  // A small b is the file where that is a move.
  await setUp("4k3/8/8/8/2p5/1P6/4B3/4K3 w - - 0 1");
  await type("bc4");
  assert.equal(await page.textContent("#moves button"), "bxc4");
  await page.click("#tab-play");
  await page.click("#new-game");
  await type("d4");
  // What Ibex has played is read aloud.
  await until("Your move: White. Ibex has played [a-hN]");
});

test("a game keeps its result and its players, until it goes on", { skip }, async () => {
  await load('[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0');
  const whole = /\[White "A"\][\s\S]*\[Result "1-0"\][\s\S]*2\. Nf3 1-0/;
  assert.match(await copied(), whole);
  await page.reload();
  await ready();
  assert.match(await copied(), whole);
  assert.equal(await page.textContent("#bottom-name"), "A");
  await type("Nc6");
  assert.match(await copied(), /\[White "A"\][\s\S]*\[Result "\*"\][\s\S]*2\. Nf3 Nc6 \*/);
  await load("1. f3 e5 2. g4 Qh4# *");
  assert.match(await copied(), /\[Result "0-1"\]/);
  await page.click("#tab-play");
  await page.click("#new-game");
  await type("e4");
  await until("Your move");
  await page.click("#resign");
  await until("White resigns: 0-1");
  assert.match(await copied(), /\[Result "0-1"\]/);
  await page.click("#tab-analyse");
  await type("a3");
  assert.equal(await page.locator("#moves button").count(), 3);
  assert.match(await copied(), /\[Result "\*"\]/);
});

test("PGN as others write it, and as others read it", { skip }, async () => {
  const moves = () => page.locator("#moves button").count();
  // A blank line among the moves, a comment whose second line begins with a bracket, a line for programs, and a second game.
  await load('[White "A"]\n\n1. e4 e5\n\n2. Nf3 {a comment\n[%clk 0:01] goes on}\n%for programs\nNc6 *\n\n[White "B"]\n\n1. d4 *');
  assert.equal(await moves(), 4, await page.textContent("#pgn-error"));
  await load('[White "A"] 1. e4 {[%clk 1]} e5 *');
  assert.equal(await moves(), 2, await page.textContent("#pgn-error"));
  for (const [pgn, count] of [
    ["; a comment\n{and another}\n[White \"A; {B}\"]\n{one more}\n\n1. e4 {x} e5 ; to the end (\n2. Nf3 *", 3],
    ["1 e4 e5 2 Nf3 *", 3],
    ["1. e4 e6 2. e5 d5 3. exd6 e.p. += cxd6 +- 4. d4 1/2", 7],
    ["1. e4 e6 2. e5 d5 3. exd6e.p. = 3. ... cxd6 1/2-1/2", 6],
    ["1. e4 e5 1-0\n\n1. d4 d5 2. c4 *", 2],
    // In the notation of UCI, and in a long one.
    ["1. e2e4 e7e5 2. g1f3 b8c6 3. f1b5 g8f6 4. e1g1 f6xe4 *", 8],
    ["1. e2-e4 e7-e5 2. Ng1-f3 Nb8-c6 3. Bf1-b5 Ng8-f6 4. 0-0 Nf6xe4 *", 8],
    ['[FEN "8/P6k/8/8/8/8/8/K7 w - - 0 1"]\n\n1. a7a8q h7g7 2. a8g8+ *', 3],
  ]) {
    await load(pgn);
    assert.equal(await moves(), count, `${pgn}\n${await page.textContent("#pgn-error")}`);
    if (pgn.startsWith(";")) assert.equal(await page.textContent("#bottom-name"), "A; {B}");
    if (pgn.includes("1/2")) assert.match(await copied(), /\[Result "1\/2-1\/2"\]/);
  }
  await load("1. e4 -- 2. d4 *");
  assert.match(await page.textContent("#pgn-error"), /'--' is no move/);
  await load("1. e4 0000 2. d4 *");
  assert.equal(await page.textContent("#pgn-error"), "'0000' is no move.");
  await load("1. e2e4 e7e5 2. g1g3 *");
  assert.equal(await page.textContent("#pgn-error"), "Move 2. 'g1g3' is not legal.");
  // Tags that are unusual, and one that is none.
  for (const [tag, expected] of [
    ['[Event "The "Big" Open"]', '[Event "The \\"Big\\" Open"]'],
    ['[Event "The \\"Big\\" Open"]', '[Event "The \\"Big\\" Open"]'],
    ['[Event "x"]\n[Time-Control "3"]', '[Time-Control "3"]'],
    ['[Event "The Big\nOpen"]\n[Site "here"]', '[Event "The Big Open"]\n[Site "here"]'],
  ]) {
    await load(`${tag}\n[White "A"]\n\n1. e4 e5 2. d4 *`);
    assert.equal(await page.textContent("#pgn-error"), "", tag);
    assert.equal(await moves(), 3, tag);
    assert.equal(await page.textContent("#bottom-name"), "A");
    assert.ok((await copied()).includes(expected), `${expected}\n${await copied()}`);
  }
  await load('[White "A"]\n[The event]\n\n1. e4 *');
  assert.equal(await page.textContent("#pgn-error"), "'[The event]' is no tag.");
  // Other signs for pieces, promotions, double checks and results.
  for (const [pgn, count, result] of [
    ["1. e4 e5 2. ♘f3 ♞c6 3. ♗b5 ½-½", 5, "1/2-1/2"],
    ["1. ♙e4 d5 2. e4xd5 ♛xd5 0:1", 4, "0-1"],
    ["1. e4 d6 2. Bb5++ c6 1–0", 4, "1-0"],
    ['[FEN "8/P6k/8/8/8/8/8/K7 w - - 0 1"]\n\n1. a8(Q) Kg6 1/2', 2, "1/2-1/2"],
    ['[Result "½:½"]\n\n1. e4', 1, "1/2-1/2"],
  ]) {
    await load(pgn);
    assert.equal(await page.textContent("#pgn-error"), "", pgn);
    assert.equal(await moves(), count, pgn);
    assert.ok((await copied()).includes(`[Result "${result}"]`), pgn);
  }
  // A start of Chess960 is written so that it is read as one again, whatever names its castling rights.
  for (const fen of [
    "bqnrkbnr/pppppppp/8/8/8/8/PPPPPPPP/BQNRKBNR w HDhd - 0 1",
    "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w KQkq - 0 1",
    "1r2k3/pppppppp/8/8/8/8/PPPPPPPP/1R2K3 w Qq - 0 1",
  ]) {
    await setUp(fen);
    await type("d4");
    const written = await copied();
    assert.match(written, /\[Variant "Chess960"\]/, fen);
    assert.match(written, /\[SetUp "1"\]/, fen);
    await load(written);
    assert.match(await copied(), /\[Variant "Chess960"\]/, fen);
    await load(written.replace('[Variant "Chess960"]\n', ""));
    assert.match(await copied(), /\[Variant "Chess960"\]/, fen);
  }
  await load('[FEN "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1"]\n\n1. O-O *');
  assert.match(await copied(), /\[Variant "Chess960"\]/);
  await setUp("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
  await type("O-O");
  assert.doesNotMatch(await copied(), /Variant/);
  // A line of EPD, and a remark behind a FEN.
  for (const [text, fen] of [
    ['2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id "WAC.001";', "R4RK1 w - - 0 1"],
    ['8/8/P6k/8/8/8/8/K7 w - - 3 7 id "a b";', "K7 w - - 3 7"],
    ["8/8/P6k/8/8/8/8/K7 w - - 3 7 ; c", "K7 w - - 3 7"],
  ]) {
    await setUp(text);
    assert.equal(await page.textContent("#fen-error"), "", text);
    assert.ok((await page.inputValue("#fen")).endsWith(fen), text);
  }
  await setUp("8/8/P6k/8/8/8/8/K7 w - - 3 7 more and more");
  assert.match(await page.textContent("#fen-error"), /behind the sixth field/);
  // Underscores for blanks, as in some addresses.
  await setUp("8/8/P6k/8/8/8/8/K7_w_-_-_0_1");
  assert.equal(await page.inputValue("#fen"), "8/8/P6k/8/8/8/8/K7 w - - 0 1");
});

test("what is not loaded of a PGN is named", { skip }, async () => {
  const remark = () => page.textContent("#remark");
  const games = '[Event "one"]\n\n1. e4 {good} (1. d4 $2) e5 $1 1-0\n\n[Event "two"]\n\n1. d4 *\n';
  await load(games);
  assert.equal(await remark(), "The first of 2 games. Comments, variations and marks are left out.");
  await load("1. e4 e5 1-0\n\n1. d4 d5 *");
  assert.equal(await remark(), "The first of several games.");
  await load("1. e4 e5 ; to the end\n1-0");
  assert.equal(await remark(), "Comments are left out.");
  await load("1. e4 e5 *");
  assert.equal(await remark(), "");
  // A file in the encoding of older programs, and one in UTF-8.
  for (const encoding of ["latin1", "utf8"]) {
    const buffer = Buffer.from(games.replace("[Event", '[White "José"]\n[Event'), encoding);
    await page.setInputFiles("#pgn-file", { name: "games.pgn", mimeType: "application/x-chess-pgn", buffer });
    await page.waitForFunction(() => document.querySelector("#bottom-name").textContent === "José");
    assert.match(await remark(), /^The first of 2 games/);
    await load("1. e4 e5 *");
  }
});

test("scores that are bounds say so", async () => {
  const source = await readFile(new URL("../src/uci.ts", import.meta.url), "utf8");
  const { code } = await transformWithEsbuild(source, "uci.ts");
  const { readInfo, scoreText } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  for (const [score, white, black] of [
    ["cp 35", "+0.35", "−0.35"],
    ["cp 35 lowerbound", "≥ +0.35", "≤ −0.35"],
    ["cp 10500", "1-0", "0-1"],
    ["cp 10500 lowerbound", "≥ 1-0", "≤ 0-1"],
    ["mate 4", "#4", "#-4"],
    ["mate 4 lowerbound", "≥ #4", "≤ #-4"],
    ["mate -4 upperbound", "≤ #-4", "≥ #4"],
  ]) {
    const line = readInfo(`info depth 9 score ${score} nodes 1 pv e2e4`);
    assert.deepEqual([scoreText(line, "white"), scoreText(line, "black")], [white, black], score);
  }
});

test("a game that is played here names its players, and hides what Ibex expects", { skip }, async () => {
  await page.click("#tab-play");
  await page.selectOption("#colour", "white");
  await page.selectOption("#movetime", "100");
  await page.click("#new-game");
  await type("e4");
  await until("Your move: White. Ibex has played");
  assert.ok(await page.isHidden("#graph"));
  const now = await page.evaluate(() => new Date().getFullYear());
  assert.match(await copied(), new RegExp(`\\[Date "${now}\\.\\d\\d\\.\\d\\d"\\][^]*\\[White "You"\\]\n\\[Black "Ibex"\\]`));
  await page.click("#resign");
  assert.ok(await page.isVisible("#graph"));
  // A loaded game keeps its players. The colour is chosen before, or Ibex might make the move.
  await page.selectOption("#colour", "black");
  await load('[White "A"]\n[Date "1999.01.01"]\n\n1. e4 *');
  await page.click("#tab-play");
  // The move before was not Ibex's.
  assert.equal(await status(), "Your move: Black.");
  await type("e5");
  assert.match(await copied(), /\[Date "1999\.01\.01"\][^]*\[White "A"\]\n\[Black "You"\]/);
  await page.selectOption("#colour", "white");
  await page.click("#tab-analyse");
  await page.evaluate(() => document.querySelector("#copy-fen").click());
  await page.waitForFunction(() => document.querySelector("#copied").textContent === "The FEN is copied.");
});

test("a line of the analysis is one stop of the Tab key", { skip }, async () => {
  await setUp(POSITIONS[0]);
  await page.selectOption("#multipv", "3");
  await page.click("#analyse");
  await page.waitForFunction(() => document.querySelectorAll("#lines li:nth-child(3) button").length > 3);
  await page.click("#analyse");
  assert.equal(await page.locator("#lines button[tabindex=\"0\"]").count(), 3);
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  const line = await page.locator("#lines li:first-child button").allTextContents();
  await page.locator("#lines li:first-child button").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(), line[2]);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await focused(), line[1]);
  assert.equal(await page.locator("#lines button[tabindex=\"0\"]").count(), 3);
  await page.keyboard.press("Enter");
  assert.ok(await page.isVisible("#variation"));
  await page.click("#leave");
});

test("nothing that a key or a button does loses a game", { skip }, async () => {
  const moves = () => page.locator("#moves button").count();
  await load('[White "A"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0');
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("z");
  assert.equal(await moves(), 3);
  page.once("dialog", (dialog) => dialog.dismiss());
  await page.keyboard.press("n");
  assert.equal(await moves(), 3);
  // Nor does Ibex go on with a game that has its result.
  await page.click("#tab-play");
  await page.selectOption("#colour", "white");
  await until("The game is over: 1-0");
  await type("Nc6");
  assert.equal(await page.textContent("#move-error"), "The game is over: 1-0.");
  await page.waitForTimeout(700);
  assert.equal(await moves(), 3);
  assert.ok(await page.isDisabled("#resign"));
  assert.match(await copied(), /\[Result "1-0"\]/);
  // A game that is over cannot be resigned, wherever one looks at it.
  await load("1. f3 e5 2. g4 Qh4# *");
  await page.click("#tab-play");
  await page.click("#back");
  assert.ok(await page.isDisabled("#resign"));
  await page.click("#tab-analyse");
  assert.match(await copied(), /\[Result "0-1"\]/);
  // A position that was set up is more work than one in which games begin.
  await setUp("8/8/P6k/8/8/8/8/K7 w - - 0 1");
  await page.evaluate(() => document.activeElement.blur());
  for (const isWork of [true, false]) {
    const questions = [];
    const question = (dialog) => (questions.push(dialog.message()), dialog.accept());
    page.on("dialog", question);
    await page.keyboard.press("n");
    page.off("dialog", question);
    assert.equal(questions.length, isWork ? 1 : 0);
    assert.equal(await page.inputValue("#fen"), POSITIONS[0]);
  }
});

test("what keeps a move from being made is named", { skip }, async () => {
  await load("1. e4 e5 2. Nf3 Nc6 *");
  await page.click("#tab-play");
  await page.selectOption("#colour", "white");
  for (let count = 0; count < 2; count++) await page.click("#back");
  await type("d4");
  assert.equal(await page.textContent("#move-error"), "An earlier position. Go to the end to play on.");
  assert.equal(await status(), await page.textContent("#move-error"));
  await page.click("#end");
  await page.selectOption("#movetime", "3000");
  await type("d4");
  await until("^Ibex thinks…$");
  await type("exd4");
  assert.equal(await page.textContent("#move-error"), "Ibex thinks…");
  await page.selectOption("#movetime", "100");
  await page.click("#tab-analyse");
});

test("a game that went on after a draw that could be claimed is analysed there, too", { skip }, async () => {
  await load("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 *");
  await page.click("#back");
  await until("threefold repetition");
  await page.click("#analyse");
  await page.waitForFunction(() => document.querySelectorAll("#lines li").length > 0);
  await page.click("#analyse");
  await type("d4");
  assert.equal(await page.textContent("#move-error"), "");
  assert.ok(await page.isVisible("#variation"));
  await page.click("#leave");
});

test("the position is there in words, and the keyboard stays on its move", { skip }, async () => {
  await load("1. e4 e5 2. Nf3 *");
  assert.match(await page.getAttribute("#board", "aria-label"), /black to move\. white: king e1, queen d1, [\s\S]*knight f3/);
  await page.locator("#moves button").nth(0).focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "e4");
  assert.equal(await page.textContent("#moves .here"), "e4");
  assert.equal(await page.locator("#moves [aria-current]").count(), 1);
  assert.equal(await page.textContent("#moves [aria-current=true]"), "e4");
});

test("keys do nothing behind a question, and a new game asks one", { skip }, async () => {
  await setUp("8/8/P6k/8/8/8/8/K7 w - - 0 1");
  const moves = () => page.locator("#moves button").count();
  await type("a7");
  await type("Kg6");
  await page.evaluate(() => document.activeElement.blur());
  await page.waitForTimeout(300);
  await move("a7", "a8");
  await page.waitForSelector("#promotion[open]");
  const questions = [];
  const question = (dialog) => {
    questions.push(dialog.message());
    return dialog.dismiss();
  };
  page.on("dialog", question);
  const side = await page.getAttribute("#board .cg-wrap, #board.cg-wrap", "class");
  for (const key of ["n", "z", "f", "Home"]) await page.keyboard.press(key);
  page.off("dialog", question);
  assert.deepEqual(questions, []);
  assert.equal(await page.getAttribute("#board .cg-wrap, #board.cg-wrap", "class"), side);
  assert.equal(await page.textContent("#moves .here"), "Kg6");
  assert.ok(await page.isVisible("#promotion"));
  assert.equal(await moves(), 2);
  // A phone has no Escape. The question is gone before the pawn is back, and only then it can be moved again.
  const isBack = () => [...document.querySelectorAll("#board piece")].some((piece) => piece.cgKey === "a7");
  const escape = () => page.keyboard.press("Escape");
  for (const leave of [escape, () => page.tap("#promotion .cancel"), () => page.touchscreen.tap(5, 5)]) {
    if (await page.isHidden("#promotion")) await move("a7", "a8");
    await page.waitForSelector("#promotion[open]");
    await leave();
    await page.waitForSelector("#promotion", { state: "hidden", timeout: 5000 });
    await page.waitForFunction(isBack, undefined, { timeout: 5000 });
    assert.equal(await moves(), 2);
  }
  page.once("dialog", (dialog) => dialog.dismiss());
  await page.keyboard.press("n");
  assert.equal(await moves(), 2);
  page.once("dialog", (dialog) => dialog.accept());
  await page.keyboard.press("n");
  assert.equal(await moves(), 0);
});

test("a promotion is that of the position in which it was begun", { skip }, async () => {
  await load('[FEN "8/P6k/8/8/8/8/8/K7 w - - 0 1"]\n\n1. Kb1 Kg6 2. Kb2 Kg5 *');
  const moves = () => page.locator("#moves button").count();
  await page.click("#first");
  await page.waitForTimeout(300);
  await move("a7", "a8");
  await page.waitForSelector("#promotion[open]");
  // By the script, because the dialog is in the way. Opened during the analysis, it does not stop that either.
  await page.evaluate(() => document.querySelector("#whole").click());
  await wholeGameDone();
  await page.click("#promotion [value=queen]");
  await page.waitForTimeout(300);
  assert.equal(await moves(), 4);
  assert.ok(await page.isHidden("#variation"));
  await move("a7", "a8");
  await page.click("#promotion [value=rook]");
  await page.waitForFunction(() => document.querySelector("#moves .here").textContent === "a8=R");
});

test("letters are keys only if the user wants them, and full strength stays full", { skip }, async () => {
  const isTurned = () => page.evaluate(() => document.querySelector(".cg-wrap").classList.contains("orientation-black"));
  const before = await isTurned();
  await page.evaluate(() => (document.querySelector("#letters").closest("details").open = true));
  await page.uncheck("#letters");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("f");
  assert.equal(await isTurned(), before);
  await page.reload();
  await ready();
  assert.ok(!(await page.isChecked("#letters")));
  await page.evaluate(() => (document.querySelector("#letters").closest("details").open = true));
  await page.check("#letters");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("f");
  assert.equal(await isTurned(), !before);
  // With caps lock.
  await page.keyboard.press("F");
  assert.equal(await isTurned(), before);
  const kept = () => page.evaluate(() => JSON.parse(localStorage.getItem("ibex")).choices.elo);
  const slide = (value) =>
    page.evaluate((to) => {
      const slider = document.querySelector("#elo");
      slider.value = to === "full" ? slider.max : to;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      slider.dispatchEvent(new Event("change", { bubbles: true }));
    }, value);
  await slide("1500");
  assert.equal(await kept(), "1500");
  assert.equal(await page.getAttribute("#elo", "aria-valuetext"), null);
  await slide("full");
  assert.equal(await kept(), "full");
  await page.reload();
  await ready();
  assert.equal(await page.textContent("#elo-text"), "full");
  assert.equal(await page.getAttribute("#elo", "aria-valuetext"), "full strength");
});

test("a choice that is no more leaves the others, and the game", { skip }, async () => {
  await page.click("#tab-play");
  await page.click("#new-game");
  await type("e4");
  await until("Your move");
  await page.evaluate(() => {
    for (const storage of [localStorage, sessionStorage]) {
      const kept = JSON.parse(storage.getItem("ibex") ?? "null");
      if (kept === null) continue;
      Object.assign(kept.choices, { movetime: "2000", hash: "16", gone: "1" });
      storage.setItem("ibex", JSON.stringify(kept));
    }
  });
  await page.reload();
  await ready();
  assert.equal(await page.inputValue("#movetime"), "1000");
  assert.equal(await page.inputValue("#hash"), "16");
  await type("a3");
  await page.waitForFunction(() => document.querySelectorAll("#moves button").length === 4);
  await open(1);
  await page.selectOption("#movetime", "100");
  await page.selectOption("#hash", "64");
});

test("each tab has its own game", { skip }, async () => {
  const moves = (tab) => tab.textContent("#moves");
  await load("1. e4 e5 *");
  const own = await moves(page);
  const { other, errors } = await another();
  await ready(other);
  // A new tab begins with the last game.
  assert.equal(await moves(other), own);
  await other.fill("#move", "Nf3");
  await other.press("#move", "Enter");
  const elsewhere = await moves(other);
  assert.notEqual(elsewhere, own);
  await page.reload();
  await ready();
  assert.equal(await moves(page), own);
  await other.reload();
  await ready(other);
  assert.equal(await moves(other), elsewhere);
  assert.deepEqual(errors, []);
  await other.close();
});

/** Another page with a script of its own, which runs before those of the page. */
async function another(script, where = address(server)) {
  const other = await context.newPage();
  const errors = [];
  other.on("pageerror", (error) => errors.push(String(error)));
  if (script) await other.addInitScript(script);
  await other.goto(where);
  return { other, errors };
}

test("a browser that blocks its storage has a page that forgets", { skip }, async () => {
  const { other, errors } = await another(() => {
    for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, name, { get: () => { throw new DOMException("blocked", "SecurityError"); } });
    }
  });
  await ready(other);
  await other.click("#theme");
  assert.match(await other.evaluate(() => document.documentElement.dataset.theme), /^(dark|light)$/);
  await other.fill("#move", "e4");
  await other.press("#move", "Enter");
  await other.waitForFunction(() => document.querySelectorAll("#moves button").length === 2);
  assert.deepEqual(errors, []);
  await other.close();
});

test("the page does without a service worker that cannot be installed", { skip }, async () => {
  const poor = await host("icon.png");
  const { other, errors } = await another(null, address(poor));
  const begun = Date.now();
  await ready(other);
  assert.ok(Date.now() - begun < 12_000, "the page has not waited for its patience to end");
  assert.equal(await other.evaluate(() => crossOriginIsolated), false);
  await other.fill("#move", "e4");
  await other.press("#move", "Enter");
  await other.waitForFunction(() => document.querySelectorAll("#moves button").length === 2);
  assert.deepEqual(errors, []);
  await other.close();
  poor.closeAllConnections();
  poor.close();
});

test("an engine that cannot run is reported", { skip }, async () => {
  const script = (broken) => {
    window.broken = broken;
    window.workers = [];
    window.Worker = class extends Worker {
      constructor(...args) {
        super(...args);
        window.workers.push(this);
        if (window.broken) setTimeout(() => this.fall());
      }
      fall() {
        this.dispatchEvent(new ErrorEvent("error", { message: "it fell" }));
      }
    };
  };
  const late = await context.newPage();
  await late.addInitScript(script, false);
  await late.goto(address(server));
  await ready(late);
  await late.click("#tab-play");
  await late.selectOption("#movetime", "10000");
  await late.click("#new-game");
  await late.fill("#move", "e4");
  await late.press("#move", "Enter");
  await late.waitForFunction(() => /thinks/.test(document.querySelector("#status").textContent));
  await late.evaluate(() => {
    window.broken = true;
    window.workers.at(-1).fall();
  });
  const told = (text) =>
    late.waitForFunction((text) => document.querySelector("#status").textContent === text, text, { timeout: 20_000 });
  const end = "The engine cannot run here: it fell. Reload the page to try again; less hash may help.";
  await told(end);
  // Nothing can be begun that would do nothing.
  await late.click("#tab-analyse");
  assert.ok((await late.isDisabled("#analyse")) && (await late.isDisabled("#whole")));
  await late.evaluate(() => document.activeElement.blur());
  await late.keyboard.press(" ");
  assert.equal(await late.textContent("#analyse"), "Start");
  await told(end);
  await late.close();
  const early = await context.newPage();
  await early.addInitScript(script, true);
  await early.goto(address(server));
  await ready(early);
  await early.click("#flip");
  const why = "The engine cannot be loaded: it fell. Reload the page to try again.";
  assert.equal(await early.textContent("#status"), why);
  await early.close();
});

test("whatever changes in a release, its service worker changes", { timeout: 120_000 }, async () => {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), "ibex-public-"));
  cpSync(join(root, "public"), folder, { recursive: true });
  const worker = async (plugin) => {
    const config = { root, configFile: join(root, "vite.config.js"), logLevel: "silent", publicDir: folder };
    const { output } = await build({ ...config, plugins: [plugin], build: { write: false } });
    return String(output.find(({ fileName }) => fileName === "sw.js").source);
  };
  const plain = await worker();
  assert.equal(await worker(), plain);
  assert.notEqual(await worker({ name: "title", transformIndexHtml: (html) => html.replace("<title>", "<title>The ") }), plain);
  appendFileSync(join(folder, "icon.svg"), "\n");
  assert.notEqual(await worker(), plain);
  rmSync(folder, { recursive: true, force: true });
  // Each file once, and all of them.
  const files = JSON.parse(/FILES = (.*);/.exec(plain)[1]);
  assert.equal(new Set(files).size, files.length);
  for (const name of ["./", "icon.svg", "icon.png", "manifest.webmanifest"]) assert.ok(files.includes(name), name);
  assert.ok(!files.includes("index.html"));
  assert.ok(files.some((name) => name.endsWith(".wasm")));
});

test("390 pixels are wide enough, light and dark", { skip }, async () => {
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      await page.waitForTimeout(300);
      for (const tab of ["play", "analyse"]) {
        await page.click(`#tab-${tab}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${tab}: ${wide} at ${width}`);
        // What a panel hides at its edge does not widen the page.
        const cut = await page.evaluate((id) => {
          const panel = document.querySelector(id);
          return panel.scrollWidth - panel.clientWidth;
        }, `#panel-${tab}`);
        assert.ok(cut <= 0, `${tab}: ${cut} pixels of the panel are cut off at ${width}`);
        // Phones zoom into a field with smaller letters, and stay there.
        const sizes = await page.evaluate(() =>
          [...document.querySelectorAll("input, textarea, select")].map((field) => [field.id, getComputedStyle(field).fontSize]));
        for (const [id, size] of sizes) assert.ok(parseFloat(size) >= 16 || ["elo", "pgn-file", "use960", "letters"].includes(id), `${id}: ${size}`);
        if (!process.env.SHOTS) continue;
        if (tab === "analyse") await page.click("#analyse");
        await page.waitForTimeout(1500);
        await page.screenshot({ path: join(process.env.SHOTS, `${tab}-${width}-${scheme}.png`), fullPage: true });
        if (tab === "analyse") await page.click("#analyse");
      }
    }
  }
});

test("the page without a network, with the game where it was", { skip }, async () => {
  await page.click("#tab-analyse");
  const moves = await page.textContent("#moves");
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await page.reload();
  await ready();
  assert.equal(await page.textContent("#moves"), moves);
  await page.click("#analyse");
  await page.waitForFunction(() => /depth ([5-9]|\d\d)/.test(document.querySelector("#speed").textContent));
  await page.click("#analyse");
  assert.deepEqual(complaints, []);
});
