// PGN: reads the games of a text, however freely they are written, and writes a game as text.

import type { Chess } from "chessops/chess";
import { INITIAL_FEN, makeFen } from "chessops/fen";
import { ChildNode, defaultHeaders, type Game as Pgn, makeComment, makePgn, Node as PgnNode, parseComment, parsePgn, type PgnNodeData, setStartingPosition, startingPosition } from "chessops/pgn";
import { makeSan, parseSan } from "chessops/san";
import type { NormalMove } from "chessops/types";
import { makeUci, parseUci } from "chessops/util";

import { Game, type Node } from "./game";
import { inWords, legalMove, namesFiles, positionOf } from "./position";

/** A move in standard algebraic notation, in a long notation, or in that of UCI. */
const MOVE = /^(?:[KQRBN]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:=?[QRBNqrbn])?|[O0]-[O0](?:-[O0])?)[+#]?[!?]*$/;
const RESULT = /^(?:1[-–—:]0|0[-–—:]1|(?:1\/2|½)(?:[-–—:](?:1\/2|½))?|\*)$/;
/**
 * What some writers put between moves: numbers without a dot, annotation marks, and judgements of the position. A move
 * number is never `0000`, the null move.
 */
const REMARK = /^(?:[1-9]\d*|[!?…]+|(?!-+$)[-+=/±∓⩲⩱∞]+)$/;
/** Figurines, which some programs write instead of letters; a pawn has no letter. */
const FIGURINES: Record<string, string> = { "♔": "K", "♕": "Q", "♖": "R", "♗": "B", "♘": "N", "♙": "", "♚": "K", "♛": "Q", "♜": "R", "♝": "B", "♞": "N", "♟": "" };

/** A result as in PGN: `½:½` becomes `1/2-1/2`. */
function asResult(word: string): string {
  if (!RESULT.test(word)) return "*";
  return word.startsWith("1/") || word.startsWith("½") ? "1/2-1/2" : word.replace(/[–—:]/, "-");
}

/** The tags of a PGN's first game, its moves, and the text after them. */
interface FirstGame {
  tags: Map<string, string>;
  moves: string;
  rest: string;
}

/**
 * Reads the tags of the first game and finds the end of its moves. The next game begins at a line that starts with a
 * bracket outside of comments. Comments in front of a tag are dropped, and so are escape lines. Throws an
 * error that names a line that begins like a tag but is not one.
 */
function firstGame(text: string): FirstGame {
  const tags = new Map<string, string>();
  const between = /(?:\s+|[%;].*|\{[^}]*\}?)*/y;
  // A value may be split over two lines. Quotes in it should have backslashes; some programs write none.
  const strict = /\[\s*([\w+#=:-]+)\s+"((?:[^"\\]|\\.)*)"\s*\]/y;
  const loose = /\[\s*([\w+#=:-]+)\s+"(.*)"\s*\](?=[^\S\n]*$)/my;
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  // What follows the last tag: a comment there belongs to the game.
  let begin = at;
  for (;;) {
    begin = between.lastIndex = at;
    at += between.exec(text)![0].length;
    strict.lastIndex = loose.lastIndex = at;
    const tag = strict.exec(text) ?? loose.exec(text);
    if (tag === null) break;
    const unescaped = tag[2]!.replace(/\\(["\\])/g, "$1");
    const value = unescaped.replace(/\s+/g, (blanks) => (blanks.includes("\n") ? " " : blanks));
    tags.set(tag[1]!, tag[1] === "Result" ? asResult(value) : value);
    at += tag[0].length;
  }
  if (text[at] === "[") throw new Error(`'${/^.{0,40}/.exec(text.slice(at))![0]}' is not a tag.`);
  const behind = text.slice(begin);
  let end = behind.length;
  for (const { 0: found, index } of behind.matchAll(/\{[^}]*\}?|;.*$|^\[/gm)) {
    if (found === "[") {
      end = index;
      break;
    }
    if (found.startsWith("{") && !found.endsWith("}")) throw new Error("A comment is unterminated.");
  }
  return { tags, moves: behind.slice(0, end).replace(/^%.*$/gm, ""), rest: behind.slice(end) };
}

/** Judgements of a position that are not written as glyphs, by their numbers. */
const JUDGEMENTS: Record<string, string> = { "=": "$10", "∞": "$13", "+=": "$14", "⩲": "$14", "=+": "$15", "⩱": "$15", "±": "$16", "+/-": "$16", "∓": "$17", "-/+": "$17", "+-": "$18", "-+": "$19" };

/** The words of a game in the plain spelling of PGN, and what became of the others. */
interface Plain {
  words: string[];
  /** Whether other games follow without tags. */
  hasMore: boolean;
  /** Whether a variation has a word that is no move. */
  isCut: boolean;
}

/**
 * Spells a game plainly: moves, glyphs, comments, variations, and the result. A word of the main line that is not a
 * move is an error; in a variation, it ends the variation.
 */
function plain(text: string): Plain {
  const words: string[] = [];
  let depth = 0;
  // The depth of the variation that is being skipped.
  let skipped = Infinity;
  let isCut = false;
  let ended = false;
  const hear = (word: string): boolean => {
    if (word === "(") {
      depth += 1;
      if (depth < skipped) words.push(word);
    } else if (word === ")") {
      if (depth === 0) throw new Error("')' is not a move.");
      if (depth === skipped) skipped = Infinity;
      depth -= 1;
      // A variation without a word is none.
      if (depth < skipped - 1 && words.at(-1) === "(") words.pop();
      else if (depth < skipped - 1) words.push(word);
    } else if (depth >= skipped) {
      return true;
    } else if (RESULT.test(word)) {
      if (depth > 0) return true;
      words.push(asResult(word));
      return false;
    } else if (MOVE.test(word)) {
      const marks = /[!?]*$/.exec(word)![0];
      words.push(word.slice(0, word.length - marks.length));
      if (marks !== "") words.push(marks);
    } else if (/^\$\d{1,3}$/.test(word) || /^[!?]{1,2}$/.test(word)) {
      words.push(word);
    } else if (JUDGEMENTS[word] !== undefined) {
      words.push(JUDGEMENTS[word]);
    } else if (!REMARK.test(word) && !/^\$\d+$/.test(word)) {
      if (depth === 0) throw new Error(`'${word.slice(0, 40)}' is not a move.`);
      skipped = depth;
      isCut = true;
    }
    return true;
  };
  for (const [, outside, comment] of text.matchAll(/([^{;]*)(\{[^}]*\}?|;.*)?/g)) {
    const spelled = outside!
      .replace(/[♔-♟]\uFE0E?/g, (picture) => FIGURINES[picture[0]!]!)
      .replace(/\b([a-h][18])\(([QRBN])\)/g, "$1=$2")
      // A number without a dot stays; the pattern takes it whole, and does not look for a dot after each digit.
      .replace(/\$\d+|\d+(?:\.+(?:\s*\.+)*)?|e\.\s?p\./g, (found) => (/^\$|^\d+$/.test(found) ? `${/^\$/.test(found) ? " " : ""}${found}` : " "));
    for (const word of spelled.split(/\s+|(?<=[()])|(?=[()])/)) {
      if (word === "") continue;
      if (ended) return { words, hasMore: true, isCut };
      // Two plus signs once meant a double check, or mate.
      if (!hear(word.replace(/\+\+(?=[!?]*$)/, "+"))) ended = true;
    }
    const inside = comment?.startsWith("{") ? comment.slice(1).replace(/\}$/, "") : comment?.slice(1).replaceAll("}", ")");
    const said = inside?.replace(/\s+/g, " ").trim() ?? "";
    if (said !== "" && depth < skipped && !ended) words.push(`{${said}}`);
  }
  if (depth > 0) throw new Error("A variation is not closed.");
  return { words, hasMore: false, isCut };
}

/** A game of a text of several: what a list shows of it, and the text. */
export interface Listed {
  title: string;
  text: string;
}

/** The games of a text that begin with tags. From one whose tags cannot be read, the rest is kept as the last of them. */
export function games(text: string): Listed[] {
  const found: Listed[] = [];
  for (let rest = text; rest.trim() !== ""; ) {
    let first: FirstGame | undefined;
    try {
      first = found.length < MOST_GAMES ? firstGame(rest) : undefined;
    } catch {
      // Whoever chooses it will see why.
    }
    if (first === undefined) {
      found.push({ title: `${found.length + 1}. The rest of the file`, text: rest });
      break;
    }
    const { tags } = first;
    const of = (tag: string) => tags.get(tag) ?? "?";
    const title = `${found.length + 1}. ${of("White")} – ${of("Black")}  ${of("Result")}`;
    found.push({ title, text: rest.slice(0, rest.length - first.rest.length) });
    rest = first.rest;
  }
  return found;
}

/** A longer list serves nobody. */
const MOST_GAMES = 5_000;

/** The text of a file: UTF-8, or else the encoding of older programs, Windows-1252, which includes Latin-1. */
export function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** The first game of a PGN, and a remark on what was left out. Throws an error that says where the text is wrong. */
export function readPgn(text: string): { game: Game; remark: string } {
  const { tags, moves } = firstGame(text);
  const { words, hasMore, isCut } = plain(moves);
  const first = parsePgn(words.join(" ") || "*", () => new Map([...defaultHeaders(), ...tags]))[0];
  if (first === undefined || (first.moves.children.length === 0 && tags.size === 0)) {
    throw new Error("There is no game in this text.");
  }
  const position = startingPosition(first.headers).unwrap(
    (position) => position,
    (error) => {
      throw new Error(`The game's first position is wrong: ${inWords(error.message)}.`);
    },
  );
  if (position.rules !== "chess") throw new Error("This variant of chess is not supported here.");
  const chess960 = /960|fischer/i.test(first.headers.get("Variant") ?? "") || namesFiles(first.headers.get("FEN") ?? "");
  const game = new Game(makeFen(position.toSetup()), chess960);
  game.headers = first.headers;
  comment(game.root, first.comments);
  const isWhole = readTree(game, first.moves, position as Chess);
  game.go(game.moves.length);
  const remarks = [hasMore && "The first of several games.", (isCut || !isWhole) && "A variation that cannot be read is left out from there on."];
  return { game, remark: remarks.filter((remark) => remark !== false).join(" ") };
}

/** Takes over the moves of chessops' tree. Returns whether all variations could be played. */
function readTree(game: Game, moves: PgnNode<PgnNodeData>, start: Chess): boolean {
  let isWhole = true;
  // Not by recursion: a game may have very many moves.
  const open: [PgnNode<PgnNodeData>, Node, Chess, boolean][] = [[moves, game.root, start, true]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [source, target, position, onMain] = next;
    for (const child of source.children) {
      const { san, startingComments, comments, nags } = child.data;
      const move = parseSan(position, san) ?? readUci(position, san);
      if (move === undefined) {
        const isMain = onMain && child === source.children[0];
        const dots = position.turn === "white" ? "." : "…";
        if (isMain) throw new Error(`Move ${position.fullmoves}${dots} '${san}' is not legal.`);
        isWhole = false;
        continue;
      }
      const uci = makeUci(move);
      // Some programs repeat a move as a variation.
      const known = target.children.find((sibling) => sibling.uci === uci);
      const node = known ?? game.append(target, uci, makeSan(position, move));
      if (startingComments !== undefined) node.before = startingComments.join(" ");
      node.glyphs.push(...(nags ?? []).filter((glyph) => !node.glyphs.includes(glyph)));
      comment(node, comments);
      const after = position.clone();
      after.play(move);
      open.push([child, node, after, onMain && node.isFirst]);
    }
  }
  return isWhole;
}

/** Takes apart the comments on a move. */
function comment(node: Node, comments: string[] = []): void {
  for (const { text, shapes, clock, emt, evaluation } of comments.map((text) => parseComment(text))) {
    node.comment = [node.comment, text].filter((part) => part !== "").join(" ");
    node.shapes.push(...shapes);
    node.clock = clock ?? node.clock;
    node.spent = emt ?? node.spent;
    node.evaluation = evaluation ?? node.evaluation;
  }
}

/** The legal move that a text of a PGN denotes in UCI notation: `g1f3`, also with a dash, a cross or a check sign. */
function readUci(position: Chess, text: string): NormalMove | undefined {
  const move = parseUci(text.toLowerCase().replace(/[-x=+#]/g, ""));
  return move !== undefined && "from" in move ? legalMove(position, move) : undefined;
}

/**
 * A PGN with its moves in lines of less than 80 characters (PGN 8.2.1); chessops writes a single one. Some programs do
 * not read a command of a comment, `[%clk 0:01:00]`, that is split.
 */
function wrapped(pgn: string): string {
  const moves = pgn.indexOf("\n\n") + 2;
  let text = pgn.slice(0, moves);
  let length = 0;
  for (const word of pgn.slice(moves).match(/\[%[^\]]*\]|\S+/g) ?? []) {
    const fits = length + 1 + word.length < 80;
    text += length === 0 ? word : fits ? ` ${word}` : `\n${word}`;
    length = length === 0 || !fits ? word.length : length + 1 + word.length;
  }
  return `${text}\n`;
}

/** The game as PGN, with its evaluations unless they are secret. */
export function writePgn(game: Game, result = game.result(), evaluations = true): string {
  const data = ({ san, before, comment: text, glyphs, shapes, clock, spent, evaluation }: Node): PgnNodeData => {
    const comment = makeComment({ text, shapes, clock, emt: spent, evaluation: evaluations ? evaluation : undefined }).trim();
    const written: PgnNodeData = { san };
    if (before !== "") written.startingComments = [before];
    if (comment !== "") written.comments = [comment];
    if (glyphs.length > 0) written.nags = glyphs;
    return written;
  };
  const written: Pgn<PgnNodeData> = { headers: new Map(game.headers), comments: data(game.root).comments, moves: new PgnNode() };
  if (game.start !== INITIAL_FEN) {
    setStartingPosition(written.headers, positionOf(game.start));
    written.headers.set("SetUp", "1");
  }
  // After the position, which sets the variant that the position alone implies.
  if (game.chess960) written.headers.set("Variant", "Chess960");
  written.headers.set("Result", result);
  const open: [Node, PgnNode<PgnNodeData>][] = [[game.root, written.moves]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [source, target] = next;
    for (const node of source.children) {
      const child = new ChildNode(data(node));
      target.children.push(child);
      open.push([node, child]);
    }
  }
  return wrapped(makePgn(written));
}
