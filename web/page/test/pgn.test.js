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

test("openings have names, by position, from their last move with one", { skip }, async () => {
  const name = (text) => page.waitForFunction((text) => document.querySelector("#opening").textContent === text, text);
  await load("1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Rg1 e5 *");
  await name("B90 Sicilian Defence: Najdorf Variation");
  for (let back = 0; back < 9; back++) await page.click("#back");
  await name("B27 Sicilian Defence");
  await page.click("#first");
  await name("");
  // By another order of moves.
  await load("1. Nf3 d5 2. d4 e6 3. c4 Nf6 4. Nc3 Be7 5. Bg5 *");
  await name("D37 Queen's Gambit Declined: Three Knights Variation");
  await setUp("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
  await type("e4");
  await name("");
  // Whatever is in the table is legal, or it could not be loaded.
  await load("1. e4 *");
  await name("B00 King's Pawn Game");
});

test("a game without moves is one if it has tags", { skip }, async () => {
  await load('[White "A"]\n[Black "B"]\n[Result "1/2-1/2"]\n\n{Agreed before the game.} 1/2-1/2');
  assert.equal(await page.textContent("#pgn-error"), "");
  assert.equal(await page.textContent("#bottom-name"), "A");
  assert.match(await copied(), /\[Black "B"\]\n\[Result "1\/2-1\/2"\]\n\n\{ Agreed before the game\. \} 1\/2-1\/2/);
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

const REMARKS = `[Event "one"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "A"]
[Black "B"]
[Result "1-0"]

{ before it } 1. e4 $1 { good [%csl Ge4] [%cal Re4e5] [%eval 0.31,18]
[%clk 0:10:00] } ( 1. d4 { solid } d5 ( 1... Nf6 2. c4 ) 2. c4 $14 ) 1... e5 $6
{ [%clk 0:09:58] } 2. Nf3 1-0
`;

test("comments, glyphs, variations, clocks, evaluations and drawings are read, shown and written", { skip }, async () => {
  await load(REMARKS);
  assert.equal(await page.textContent("#pgn-error"), "");
  assert.equal(await copied(), REMARKS);
  assert.deepEqual(await page.locator("#moves button").allTextContents(), ["e4", "d4", "d5", "Nf6", "c4", "c4", "e5", "Nf3"]);
  assert.equal(await page.textContent("#moves .pair .score >> nth=0"), "+0.31");
  assert.match(await page.textContent("#moves"), /^before it1\.e4!\+0\.31good1\.d4solid/);
  // In other spellings, and with a variation that leads nowhere.
  await load("1. e4! {a} {b} (1. d4 Nf6 2. Qxf7 {never} e5) (1. c4 nonsense) (1. e4) ( ) e5?! +- ; to the end }\n2. Nf3 +/= *");
  assert.equal(await page.textContent("#pgn-error"), "");
  assert.equal(await page.textContent("#remark"), "A variation that cannot be read is left out from there on.");
  assert.match(await copied(), /\n\n1\. e4 \$1 \{ a b \} \( 1\. d4 Nf6 \) \( 1\. c4 \) 1\.\.\. e5 \$6 \$18 \{ to the end \) \} 2\. Nf3\s\*\n$/);
});

test("variations are entered, promoted, deleted and commented", { skip }, async () => {
  await load("1. e4 e5 2. Nf3 *");
  const line = async () => (await copied()).split("\n\n")[1].trim();
  await page.click("#first");
  await type("d4");
  await type("d5");
  assert.ok(await page.isVisible("#variation"));
  assert.equal(await line(), "1. e4 ( 1. d4 d5 ) 1... e5 2. Nf3 *");
  await page.fill("#comment", "a {question} of taste");
  await page.selectOption("#glyph", "5");
  assert.equal(await line(), "1. e4 ( 1. d4 d5 $5 { a question of taste } ) 1... e5 2. Nf3 *");
  await page.click("#promote");
  assert.equal(await line(), "1. d4 ( 1. e4 e5 2. Nf3 ) 1... d5 $5 { a question of taste } *");
  assert.ok(await page.isHidden("#variation"));
  await page.reload();
  await ready();
  assert.equal(await page.textContent("#moves .here"), "d5");
  await page.locator("#moves button", { hasText: "e4" }).click();
  await page.click("#delete");
  assert.equal(await line(), "1. d4 d5 $5 { a question of taste } *");
  assert.ok(await page.isDisabled("#delete"), "there is no move at the start");
});

test("the games of a file are in a list, and keep what is done to them", { skip }, async () => {
  const remark = () => page.textContent("#remark");
  const two = '[Event "one"]\n[White "A"]\n[Black "B"]\n\n1. e4 {good} e5 1-0\n\n[Event "two"]\n[White "C"]\n\n1. d4 *\n';
  await load(two);
  assert.deepEqual(await page.locator("#games option").allTextContents(), ["1. A – B  ?", "2. C – ?  ?"]);
  await page.click("#delete");
  await page.selectOption("#games", { index: 1 });
  assert.equal(await page.textContent("#moves .here"), "d4");
  assert.equal(await page.textContent("#bottom-name"), "C");
  await page.reload();
  await ready();
  await page.selectOption("#games", { index: 0 });
  assert.deepEqual(await page.locator("#moves button").allTextContents(), ["e4"]);
  // A game that cannot be read is named when it is chosen, and the page stays.
  await load(`${two}\n[White "D"]\n\n1. e4 Ke7 *\n\n[White "E"]\n[no tag]\n\n1. e4 *\n`);
  for (const [index, title, error] of [
    [2, "3. D – ?  ?", "Move 1… 'Ke7' is not legal."],
    [3, "4. The rest of the file", "'[no tag]' is not a tag."],
  ]) {
    assert.equal(await page.locator("#games option").nth(index).textContent(), title);
    await page.selectOption("#games", { index });
    assert.equal(await remark(), error);
    assert.equal(await page.locator("#games").evaluate((list) => list.selectedIndex), 0);
  }
  await load("1. e4 e5 1-0\n\n1. d4 d5 *");
  assert.equal(await remark(), "The first of several games.");
  assert.ok(await page.isHidden("#games"));
  await load("1. e4 e5 *");
  assert.equal(await remark(), "");
  // A file in the encoding of older programs, and one in UTF-8.
  for (const encoding of ["latin1", "utf8"]) {
    const buffer = Buffer.from(two.replace('[White "A"]', '[White "José"]'), encoding);
    await page.setInputFiles("#pgn-file", { name: "games.pgn", mimeType: "application/x-chess-pgn", buffer });
    await page.waitForFunction(() => document.querySelector("#bottom-name").textContent === "José");
    assert.equal(await page.locator("#games option").count(), 2);
    await load("1. e4 e5 *");
  }
});

test("a hostile text is read without delay", { skip }, async () => {
  const many = (text) => text.repeat(1_000_000);
  // Each game has another number of moves than the one before it.
  for (const [pgn, count, error, remark] of [
    [many("{"), 0, /^A comment is unterminated\.$/],
    [`1. e4 ${many("{")}`, 0, /^A comment is unterminated\.$/],
    ["1. e4 (1. d4 {x) e5 *", 0, /^A comment is unterminated\.$/],
    [`1. e4 ${many("(")}`, 0, /^A variation is not closed\.$/],
    [`1. e4 ${many("(")}${many(")")} e5 *`, 2, /^$/, ""],
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
