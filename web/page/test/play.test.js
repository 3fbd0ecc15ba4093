// A game on the page: moves by pointer, touch and keyboard, its end, and what keeps it from going on.

import assert from "node:assert/strict";
import { test } from "node:test";

import { copied, FIRST, load, move, open, page, ready, setUp, skip, status, type, until, wholeGameDone } from "../harness/browser.js";

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
  assert.equal(await page.locator("#moves button").count(), 0);
});

test("the engine plays both sides of a Chess960 game to its end", { skip, timeout: 400_000 }, async () => {
  await page.selectOption("#movetime", "100");
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
});

test("moves can be typed", { skip }, async () => {
  await load("1. e4 e5 2. Nf3 Nc6 *");
  const wrong = async (...texts) => {
    for (const [text, error] of texts) {
      await type(text);
      assert.match(await page.textContent("#move-error"), error, text);
    }
  };
  await wrong(["xyz", /is not a move/], ["Ke5", /is not a move/], ["e1e5", /is not legal/]);
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
  await wrong(["a7a8", /q, r, b or n/], ["a8", /q, r, b or n/], ["a8k", /is not a move/]);
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

test("no key or button loses a game", { skip }, async () => {
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
    assert.equal(await page.inputValue("#fen"), FIRST);
  }
});

test("the reason why a move cannot be made is shown", { skip }, async () => {
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
});

test("keys do nothing behind a dialog, and a new game needs confirmation", { skip }, async () => {
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

test("a promotion belongs to the position in which it began", { skip }, async () => {
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

test("letter keys can be switched off, and full strength stays full", { skip }, async () => {
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
  const kept = () =>
    page.evaluate(() => {
      const name = Object.keys(localStorage).find((name) => name.endsWith(" state"));
      return JSON.parse(localStorage.getItem(name)).choices.elo;
    });
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

test("a new game asks before it discards one that is not over", { skip }, async () => {
  const asked = [];
  page.on("dialog", (dialog) => (asked.push(dialog.message()) === 1 ? dialog.dismiss() : dialog.accept()));
  await page.click("#new-game");
  assert.deepEqual(asked, [], "nothing to lose");
  await page.selectOption("#movetime", "100");
  await type("e4");
  await until("Your move");
  await page.click("#new-game");
  assert.equal(asked.length, 1);
  assert.ok((await page.locator("#moves button").count()) >= 2, "the game stays");
  await page.click("#new-game");
  assert.equal(await page.locator("#moves button").count(), 0);
  await load("1. f3 e5 2. g4 Qh4# *");
  await page.click("#tab-play");
  await page.click("#new-game");
  assert.equal(asked.length, 2, "a game that is over");
});

test("a game with clocks ends when one runs out", { skip }, async () => {
  await page.selectOption("#movetime", "60+0");
  await page.click("#new-game");
  const clock = () => page.textContent("#bottom-clock");
  assert.equal(await clock(), "1:00");
  // No clock runs before the first move.
  await page.waitForTimeout(1200);
  assert.equal(await clock(), "1:00");
  await type("e4");
  await until("Your move");
  await page.waitForFunction(() => document.querySelector("#bottom-clock").textContent === "0:58");
  assert.match(await copied(), /\[TimeControl "60\+0"\][^]*1\. e4 \{ \[%clk 0:01:00\] \} \S+ \{ \[%clk 0:00:5\d(\.\d)?\] \}/);
  // In an analysis no clock runs, and a variation is not the game.
  await page.click("#tab-analyse");
  await page.click("#first");
  await type("c4");
  await page.evaluate(() => {
    const now = Date.now;
    Date.now = () => now() + 70_000;
  });
  await page.click("#tab-play");
  await page.click("#end");
  await until("Your move");
  // A move that is taken back gives its time back.
  await page.click("#take-back");
  assert.equal(await page.locator("#moves button").count(), 0);
  assert.equal(await clock(), "1:00");
  await type("d4");
  await until("Your move");
  await page.evaluate(() => {
    const now = Date.now;
    Date.now = () => now() + 70_000;
  });
  await until("Out of time: 0-1");
  assert.equal(await clock(), "0:00.0");
  assert.match(await copied(), /\[Result "0-1"\][^]*\[Termination "time forfeit"\]/);
});
