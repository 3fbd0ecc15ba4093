// Analysis on the page: lines and what their scores claim, whole games, and node counts.
//
// `IBEX` names the native program for the comparison.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { transformWithEsbuild } from "vite";

import { another, copied, FIRST, load, open, page, ready, setUp, skip, status, type, until, wholeGameDone } from "../harness/browser.js";

const POSITIONS = [
  FIRST,
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

test("an analysis shows the nature of its scores, and can be stopped", { skip }, async () => {
  await setUp("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1");
  await page.click("#analyse");
  await page.waitForFunction(() => document.querySelector("#lines")?.textContent.includes("proved mate"));
  assert.match(await page.textContent("#lines li:first-child b"), /^#1$/);
  assert.equal(await page.getAttribute("#wdl", "aria-label"), "White 100%, draw 0%, Black 0%");
  assert.match(await page.getAttribute("#graph", "aria-label"), /, here 100%$/);
  await page.click("#analyse");
  await load("1. a3 a6 *");
  await page.click("#first");
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
  await page.locator("#lines li").first().locator("span button").nth(1).click();
  assert.ok(await page.isVisible("#variation"));
  await page.click("#leave");
  assert.ok(await page.isHidden("#variation"));
  // A click on the tab that is open ends nothing.
  await page.click("#analyse");
  await page.waitForFunction(() => document.querySelectorAll("#lines li").length === 3);
  await page.click("#tab-analyse");
  assert.equal(await page.textContent("#analyse"), "Analysis on");
  assert.equal(await page.locator("#lines li").count(), 3);
  // No game is played in a variation.
  await page.click("#analyse");
  await page.locator("#lines li").first().locator("span button").nth(1).click();
  assert.ok(await page.isVisible("#variation"));
  await page.click("#tab-play");
  assert.ok(await page.isHidden("#variation"));
  assert.equal(await status(), "An earlier position. Go to the end to play on.");
});

test("an analysis can be stopped while it waits for another one to end", { skip }, async () => {
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
  assert.equal(await other.textContent("#analyse"), "Analysis off");
  const said = await other.evaluate(() => window.said);
  assert.equal(said.filter((line) => line.startsWith("go ")).length, 1, said.join("\n"));
  assert.deepEqual(errors, []);
  await other.close();
});

test("a refused position is reported, and nothing appears to run", { skip }, async () => {
  const refusal = "Ibex cannot play from here: impossible position: a side has more than 270 moves.";
  await setUp("QQQQQQBk/Q5RB/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1");
  await page.click("#analyse");
  await until(refusal);
  assert.equal(await page.textContent("#analyse"), "Analysis off");
  await page.click("#tab-play");
  await page.selectOption("#colour", "black");
  await until(refusal);
  await type("b1b3");
  assert.equal(await page.textContent("#move-error"), refusal);
  await page.selectOption("#colour", "white");
  await page.click("#new-game");
  assert.equal(await status(), "Your move: White.");
});

test("a hash that the browser refuses is reported, and the analysis goes on", { skip }, async () => {
  await page.click("#tab-analyse");
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
});

test("several threads search, and the choice stays", { skip }, async () => {
  await page.addInitScript(() => Object.defineProperty(navigator, "hardwareConcurrency", { value: 4 }));
  await page.reload();
  await ready();
  await page.click("#tab-analyse");
  await open(1);
  assert.deepEqual(await page.locator("#threads option").allTextContents(), ["1", "2", "3", "4"]);
  assert.equal(await page.inputValue("#threads"), "2");
  for (const threads of ["4", "1", "3"]) {
    await page.selectOption("#threads", threads);
    await page.click("#analyse");
    await page.waitForFunction(() => /depth ([6-9]|\d\d) /.test(document.querySelector("#speed").textContent));
    await page.click("#analyse");
    assert.equal(await page.textContent("#remark"), "");
    await load(`1. ${threads === "4" ? "a3" : "h3"} *`);
  }
  await page.reload();
  await ready();
  assert.equal(await page.inputValue("#threads"), "3");
});

test("a whole game is analysed and plotted", { skip }, async () => {
  await load("1. e4 e5 2. Nf3 Nc6 3. Bb5 *");
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
  assert.match(await page.textContent("#summary"), /^WhiteBlackAccuracy\d+%\d+%in the opening\d+%/);
});

test("a whole game gets marks, better lines, accuracy and evaluations, and keeps them", { skip }, async () => {
  await load("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# *");
  assert.ok(await page.isHidden("#summary"));
  await page.click("#whole");
  await page.waitForFunction(() => /^Position [2-8] of 8, \d:\d\d left$/.test(document.querySelector("#speed").textContent));
  await wholeGameDone();
  // The move that allows mate is a blunder, with a better one beside it.
  const written = await copied();
  assert.match(written.replace(/\s+/g, " "), /3\. Qh5 .* Nf6 \$4 \{ \[%eval #1,\d+\] \} \( 3\.\.\. \w+ \d?/);
  assert.match(await page.textContent("#summary"), /Blunders \?\?01/);
  assert.ok((await page.locator("#graph .mark.blunder").count()) === 1);
  const summary = await page.textContent("#summary");
  await page.reload();
  await ready();
  assert.equal(await page.textContent("#summary"), summary);
  assert.equal(await copied(), written);
});

test("the switch stays as it was left, and positions are analysed at once", { skip }, async () => {
  await page.click("#tab-analyse");
  assert.equal(await page.getAttribute("#analyse", "aria-checked"), "false");
  await page.click("#analyse");
  await page.click("#tab-play");
  await page.click("#tab-analyse");
  assert.equal(await page.textContent("#analyse"), "Analysis on");
  await page.waitForFunction(() => document.querySelectorAll("#lines li").length > 0);
  // What is proved is said in words, and the bar shows it.
  await setUp("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1");
  await page.waitForFunction(() => document.querySelector("#verdict").textContent === "Proved win: White mates in 1.");
  assert.equal(await page.getAttribute("#bar", "aria-label"), "Evaluation: #1");
  await type("Rd8");
  await until("Checkmate: White wins");
  assert.equal(await page.textContent("#speed"), "The game is over here: nothing to search.");
  assert.equal(await page.getAttribute("#bar", "aria-label"), "Evaluation: 1-0");
  await page.click("#analyse");
});

test("accuracy, marks and phases are those of the laboratory", async () => {
  const source = await readFile(new URL("../src/review.ts", import.meta.url), "utf8");
  const { code } = await transformWithEsbuild(source, "review.ts");
  const { accuracy, chances, MARKS, PHASES } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const page = await readFile(new URL("../../../docs/analyse.md", import.meta.url), "utf8");
  const number = (pattern) => Number(pattern.exec(page)[1]);
  const rate = number(/exp\(-(0\.0036\d+) s\)/);
  assert.equal(chances({ pawns: 1.5 }), 2 / (1 + Math.exp(-rate * 100 * 1.5)) - 1);
  assert.deepEqual([chances({ mate: 3 }), chances({ mate: -3 })], [1, -1]);
  const [, height, fall, below] = /([\d.]+) exp\(-([\d.]+) d\) - ([\d.]+)/.exec(page).map(Number);
  assert.equal(accuracy(10), height * Math.exp(-fall * 10) - below);
  assert.deepEqual([accuracy(0), accuracy(100)], [100, 0].map((value, at) => (at === 0 ? Math.min(100, height - below) : value)));
  for (const { name, least } of MARKS) assert.match(page, new RegExp(`${least} percent (is|a) (a )?${name}`));
  for (const phase of PHASES) assert.match(page, new RegExp(`The ${phase}`));
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
      const memory = new WebAssembly.Memory({ initial: 1024, maximum: 65536, shared: true });
      engine.postMessage({ module, memory, pool: null, flags: null });
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

test("scores that are bounds are marked as bounds", async () => {
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

test("each line of the analysis is one stop of the Tab key", { skip }, async () => {
  await load("1. a3 a6 *");
  await page.click("#first");
  await page.selectOption("#multipv", "3");
  await page.click("#analyse");
  await page.waitForFunction(() => document.querySelectorAll("#lines li:nth-child(3) span button").length > 3);
  await page.click("#analyse");
  assert.equal(await page.locator("#lines span button[tabindex=\"0\"]").count(), 3);
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  const line = await page.locator("#lines li:first-child span button").allTextContents();
  await page.locator("#lines li:first-child span button").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(), line[2]);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await focused(), line[1]);
  assert.equal(await page.locator("#lines span button[tabindex=\"0\"]").count(), 3);
  await page.keyboard.press("Enter");
  assert.ok(await page.isVisible("#variation"));
  await page.click("#leave");
});

test("a position in which a draw could be claimed is analysed if the game went on", { skip }, async () => {
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

test("the fifth occurrence and 75 moves end a game without a claim", { skip }, async () => {
  await load(`${"Nf3 Nf6 Ng1 Ng8 ".repeat(4)}*`);
  await until("A draw: fivefold repetition");
  await setUp("4k3/8/8/8/8/8/8/R3K3 w Q - 150 100");
  await until("A draw: seventy-five moves");
  await setUp("4k3/8/8/8/8/8/8/R3K3 w Q - 149 100");
  await until("A draw: fifty moves");
  await type("Ra2");
  assert.equal(await page.textContent("#move-error"), "");
  await until("A draw: seventy-five moves");
});

test("the position is described in words, and the focus stays on its move", { skip }, async () => {
  await load("1. e4 e5 2. Nf3 *");
  assert.match(await page.getAttribute("#board", "aria-label"), /black to move\. white: king e1, queen d1, [\s\S]*knight f3/);
  await page.locator("#moves button").nth(0).focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "e4");
  assert.equal(await page.textContent("#moves .here"), "e4");
  assert.equal(await page.locator("#moves [aria-current]").count(), 1);
  assert.equal(await page.textContent("#moves [aria-current=true]"), "e4");
});

test("the graph leaves grey what is unknown, and a finished game ends with its result", { skip }, async () => {
  await load("1. f3 e5 2. g4 Qh4# *");
  await page.click("#tab-analyse");
  const runs = () => page.locator("#graph polygon").evaluateAll((all) => all.map((polygon) => polygon.getAttribute("points")));
  // The position after the first move, and the end; between them nothing is known.
  await page.click("#first");
  await page.click("#forward");
  await page.click("#analyse");
  await page.waitForFunction(() => /depth [3-9]/.test(document.querySelector("#speed").textContent));
  await page.click("#analyse");
  const [first, end, ...others] = await runs();
  assert.match(first, /^0\.5,1 0\.5,0\.\d+ 1\.5,0\.\d+ 1\.5,1$/);
  assert.equal(end, "3.5,1 3.5,1 4,1 4,1");
  assert.deepEqual(others, []);
});

test("the board's letters and numbers are legible", { skip }, async () => {
  const contrasts = await page.evaluate(() => {
    const luminance = (rgb) => {
      const [r, g, b] = rgb.map((value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    // The squares of chessground's brown board.
    const squares = [[240, 217, 181], [181, 136, 99]].map(luminance);
    return [...document.querySelectorAll("coords coord")].flatMap((coord) => {
      const style = getComputedStyle(coord);
      const text = luminance(style.color.match(/\d+/g).slice(0, 3).map(Number));
      const solid = getComputedStyle(coord.parentElement).opacity === "1" && !style.color.includes("rgba");
      return squares.map((square) => (solid ? (square + 0.05) / (text + 0.05) : 0));
    });
  });
  assert.equal(contrasts.length, 32);
  assert.ok(contrasts.every((contrast) => contrast >= 4.5), String(Math.min(...contrasts)));
});
