// FEN and PGN on the page: what is read, what is refused, and what is written.

import assert from "node:assert/strict";
import { test } from "node:test";

import { copied, load, open, page, ready, setUp, skip, type, until } from "../harness/browser.js";

test("a wrong FEN and a wrong PGN are reported, and nothing is lost", { skip }, async () => {
  await load('[White "A"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *');
  assert.equal(await page.locator("#moves button").count(), 5);
  for (const [pgn, error] of [
    ["1. e4 e5 2. Nf9 *", /'Nf9' is not a move/],
    ["1. e4 e5 2. Nf4 *", /Move 2\. 'Nf4' is not legal/],
    ["1. e4 {a (comment} e5 (1... c5 2. Nf3) 2. Ke3", /Move 2\. 'Ke3' is not legal/],
    ["some words", /'some' is not a move/],
    ['[Variant "Bughouse"]\n\n1. e4 *', /^(?!.*ERR_).*variant/],
    ["", /no game/],
  ]) {
    await load(pgn);
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
    await setUp(fen);
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

test("a game keeps its players, and its result until it goes on", { skip }, async () => {
  await load('[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0');
  const whole = /\[White "A"\][\s\S]*\[Result "1-0"\][\s\S]*2\. Nf3 1-0/;
  assert.match(await copied(), whole);
  await page.reload();
  await ready();
  assert.match(await copied(), whole);
  assert.equal(await page.textContent("#bottom-name"), "A");
  await type("Nc6");
  assert.match(await copied(), /\[White "A"\][\s\S]*\[Result "\*"\][\s\S]*2\. Nf3 Nc6 \*/);
  await load('[PlyCount "1"]\n[Termination "normal"]\n[Result "1-0"]\n\n1. e4 1-0');
  assert.match(await copied(), /\[PlyCount "1"\]\n\[Termination "normal"\]/);
  await type("e5");
  assert.doesNotMatch(await copied(), /PlyCount|Termination/);
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

test("a draw that could be claimed is none until it is claimed", { skip }, async () => {
  await load("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 *");
  assert.match(await copied(), /\[Result "\*"\][^]* \*\n$/);
  await page.click("#tab-play");
  await until("A draw: threefold repetition");
  assert.equal(await page.locator("#moves button").count(), 8);
  // In a game played here it is claimed at once.
  await setUp("4k3/8/8/8/8/8/8/R3K3 w Q - 99 100");
  await page.click("#tab-play");
  await until("Your move");
  await type("Ra2");
  await until("A draw: fifty moves");
  assert.match(await copied(), /\[Result "1\/2-1\/2"\][^]* 1\/2-1\/2\n$/);
});

test("PGN from other programs is read, and other programs can read ours", { skip }, async () => {
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
  assert.match(await page.textContent("#pgn-error"), /'--' is not a move/);
  await load("1. e4 0000 2. d4 *");
  assert.equal(await page.textContent("#pgn-error"), "'0000' is not a move.");
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
  assert.equal(await page.textContent("#pgn-error"), "'[The event]' is not a tag.");
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
  // Lines of moves have less than 80 characters.
  const long = Array.from({ length: 40 }, (_, n) => `${n + 1}. ${n % 2 === 0 ? "Nf3 Nf6" : "Ng1 Ng8"}`).join(" ");
  await load(`${long} *`);
  const lines = (await copied()).split("\n");
  assert.ok(lines.every((line) => line.length < 80), lines.join("\n"));
  assert.ok(lines.join(" ").includes(`  ${long} 1/2-1/2`), lines.join("\n"));
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
  assert.match(await page.textContent("#fen-error"), /after the sixth field/);
  // Underscores for blanks, as in some addresses.
  await setUp("8/8/P6k/8/8/8/8/K7_w_-_-_0_1");
  assert.equal(await page.inputValue("#fen"), "8/8/P6k/8/8/8/8/K7 w - - 0 1");
});

test("the parts of a PGN that are not loaded are listed", { skip }, async () => {
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

test("a hostile text is read without delay", { skip }, async () => {
  const many = (text) => text.repeat(1_000_000);
  // Each game has another number of moves than the one before it.
  for (const [pgn, count, error, remark] of [
    [many("{"), 0, /^There is no game in this text\.$/],
    [`1. e4 ${many("{")}`, 0, /^A comment is unterminated\.$/],
    ["1. e4 (1. d4 {x) e5 *", 0, /^A comment is unterminated\.$/],
    [`1. e4 ${many("(")}`, 0, /^'\({40}' is not a move\.$/],
    [`1. e4 ${many("(")}${many(")")} e5 *`, 2, /^$/, "Variations are left out."],
    [`1. e4 e5 (1... c5) 2. Nf3 ) (${many("(")})`, 2, /^'\)' is not a move\.$/],
    [`${many("\n")}1. e4 e5 2. Nf3 *`, 3, /^$/, ""],
    [`${many("\r")}1. e4 e5 *`, 2, /^$/, ""],
    [`1. e4 ${many("1")} *`, 1, /^$/, ""],
    [`[Event "a${many(" ")}b"]\n\n1. e4 e5 *`, 2, /^$/, ""],
    [`[FEN "8/8/P6k/8/8/8/8/K7${many("_")}w - - 3 7"]\n\n1. a7 *`, 1, /^$/, ""],
  ]) {
    // As a file: a field for text would need long to lay it out.
    await page.setInputFiles("#pgn-file", { name: "hostile.pgn", mimeType: "text/plain", buffer: Buffer.from(pgn) });
    await page.waitForFunction(() => document.querySelector("#pgn-file").value === "");
    const text = pgn.slice(0, 40);
    assert.match(await page.textContent("#pgn-error"), error, text);
    assert.equal(await page.locator("#moves button").count(), count, text);
    if (remark !== undefined) assert.equal(await page.textContent("#remark"), remark, text);
  }
});

test("the PGN field shows the game, and keeps what is typed", { skip }, async () => {
  const field = () => page.inputValue("#pgn");
  await page.click("#tab-analyse");
  await open(0);
  await type("e4");
  assert.match(await field(), /\n\n1\. e4 \*\n$/);
  await page.fill("#pgn", "1. d4 d5");
  await type("e5");
  assert.equal(await field(), "1. d4 d5");
  await page.click("#load-pgn");
  assert.match(await field(), /\n\n1\. d4 d5 \*\n$/);
  await type("c4");
  assert.match(await field(), /\n\n1\. d4 d5 2\. c4 \*\n$/);
});
