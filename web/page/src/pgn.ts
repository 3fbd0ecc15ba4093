// PGN: reads the first game of a text, however freely it is written, and writes a game as text.

import type { Chess } from "chessops/chess";
import { INITIAL_FEN, makeFen } from "chessops/fen";
import { ChildNode, defaultHeaders, type Game as Pgn, makePgn, Node, parsePgn, setStartingPosition, startingPosition } from "chessops/pgn";
import { parseSan } from "chessops/san";
import type { NormalMove } from "chessops/types";
import { makeUci, parseUci } from "chessops/util";

import { Game } from "./game";
import { inWords, legalMove, namesFiles, positionOf } from "./position";

/** A move in standard algebraic notation, in a long notation, or in that of UCI. */
const MOVE = /^(?:[KQRBN]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:=?[QRBNqrbn])?|[O0]-[O0](?:-[O0])?)[+#]?[!?]*$/;
const RESULT = /^(?:1[-–—:]0|0[-–—:]1|(?:1\/2|½)(?:[-–—:](?:1\/2|½))?|\*)$/;
/**
 * What some writers put between moves: numbers without a dot, annotation marks, and judgements of the position. A move
 * number is never `0000`, the null move.
 */
const REMARK = /^(?:[1-9]\d*|[!?…]+|(?!-+$)[-+=/±∓⩲⩱∞]+)$/;
/** A comment. One without an end takes the rest: searching for the end of each further brace would take hours. */
const COMMENT = /\{[^}]*\}?|;.*$/gm;
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
 * bracket outside of comments. Comments before and between the tags are dropped, and so are escape lines. Throws an
 * error that names a line that begins like a tag but is not one.
 */
function firstGame(text: string): FirstGame {
  const tags = new Map<string, string>();
  const between = /(?:\s+|[%;].*|\{[^}]*\}?)*/y;
  // A value may be split over two lines. Quotes in it should have backslashes; some programs write none.
  const strict = /\[\s*([\w+#=:-]+)\s+"((?:[^"\\]|\\.)*)"\s*\]/y;
  const loose = /\[\s*([\w+#=:-]+)\s+"(.*)"\s*\](?=[^\S\n]*$)/my;
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  for (;;) {
    between.lastIndex = at;
    at += between.exec(text)![0].length;
    strict.lastIndex = loose.lastIndex = at;
    const tag = strict.exec(text) ?? loose.exec(text);
    if (tag === null) break;
    const unescaped = tag[2]!.replace(/\\(["\\])/g, "$1");
    const value = unescaped.replace(/\s+/g, (blanks) => (blanks.includes("\n") ? " " : blanks));
    tags.set(tag[1]!, tag[1] === "Result" ? asResult(value) : value);
    at += tag[0].length;
  }
  const behind = text.slice(at);
  if (behind.startsWith("[")) throw new Error(`'${/^.{0,40}/.exec(behind)![0]}' is not a tag.`);
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

/** A text without its closed parentheses and their contents. */
function withoutVariations(text: string): string {
  // The text before each open parenthesis.
  const outer: string[] = [];
  let own = "";
  for (const part of text.split(/([()])/)) {
    if (part === "(") {
      outer.push(own);
      own = "";
    } else if (part === ")" && outer.length > 0) {
      own = `${outer.pop()} `;
    } else {
      own += part;
    }
  }
  return [...outer, own].join("(");
}

/** The words of a game's main line: its moves, with the result if there is one; and the rest. */
function ownLine(text: string): { line: string[]; rest: string[] } {
  const moves = text
    .replace(COMMENT, " ")
    .replace(/[♔-♟]\uFE0E?/g, (picture) => FIGURINES[picture[0]!]!)
    .replace(/\b([a-h][18])\(([QRBN])\)/g, "$1=$2");
  const words = withoutVariations(moves)
    // A number without a dot stays; the pattern takes it whole, and does not look for a dot after each digit.
    .replace(/\$\d+|\d+(?:\.+(?:\s*\.+)*)?|e\.\s?p\./g, (found) => (/^\d+$/.test(found) ? found : " "))
    .split(/\s+/)
    .filter((word) => word !== "" && !REMARK.test(word))
    // Two plus signs once meant a double check, or mate.
    .map((word) => word.replace(/\+\+(?=[!?]*$)/, "+"));
  const end = words.findIndex((word) => RESULT.test(word));
  if (end >= 0) words[end] = asResult(words[end]!);
  const length = end < 0 ? words.length : end + 1;
  return { line: words.slice(0, length), rest: words.slice(length) };
}

/** What a PGN has besides the moves of its first game, in words for the user; empty if there is nothing else. */
export function leftOut(text: string): string {
  const { moves, rest } = firstGame(text);
  // Blanks only within the line: otherwise, from each of many empty lines the pattern would go through all others.
  const games = text.match(/^[^\S\r\n\u2028\u2029]*\[\s*Event\s/gm)?.length ?? 0;
  const several = rest.trim() !== "" || ownLine(moves).rest.length > 0;
  const first = games > 1 ? `The first of ${games} games.` : several ? "The first of several games." : "";
  const bare = moves.replace(COMMENT, "");
  const parts = [
    bare.length < moves.length && "comments",
    /\((?![QRBN]\))/.test(bare) && "variations",
    /\$\d|[!?]/.test(bare) && "marks",
  ].filter((part) => part !== false);
  const list = parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
  const without = list === "" ? "" : `${list[0]!.toUpperCase()}${list.slice(1)} are left out.`;
  return [first, without].filter((sentence) => sentence !== "").join(" ");
}

/** The text of a file: UTF-8, or else the encoding of older programs, Windows-1252, which includes Latin-1. */
export function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** The first game of a PGN. Throws an error that says where the text is wrong. */
export function readPgn(text: string): Game {
  const { tags, moves } = firstGame(text);
  const { line } = ownLine(moves);
  // The parser would drop it.
  const stray = line.find((word) => !MOVE.test(word) && !RESULT.test(word));
  if (stray !== undefined) throw new Error(`'${stray.slice(0, 40)}' is not a move.`);
  const first = parsePgn(line.join(" ") || "*", () => new Map([...defaultHeaders(), ...tags]))[0];
  if (first === undefined || (first.moves.children.length === 0 && !first.headers.has("FEN"))) {
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
  for (const node of first.moves.mainline()) {
    const move = parseSan(position, node.san) ?? readUci(position, node.san);
    if (move === undefined) {
      const dots = position.turn === "white" ? "." : "…";
      throw new Error(`Move ${position.fullmoves}${dots} '${node.san}' is not legal.`);
    }
    position.play(move);
    game.moves.push(makeUci(move));
  }
  game.go(game.moves.length);
  return game;
}

/** The legal move that a text of a PGN denotes in UCI notation: `g1f3`, also with a dash, a cross or a check sign. */
function readUci(position: Chess, text: string): NormalMove | undefined {
  const move = parseUci(text.toLowerCase().replace(/[-x=+#]/g, ""));
  return move !== undefined && "from" in move ? legalMove(position, move) : undefined;
}

/** A PGN with its moves in lines of less than 80 characters (PGN 8.2.1); chessops writes a single one. */
function wrapped(pgn: string): string {
  const moves = pgn.indexOf("\n\n") + 2;
  return pgn.slice(0, moves) + pgn.slice(moves).trimEnd().replace(/(.{1,79})(?: |$)/g, "$1\n");
}

/** The game as PGN. */
export function writePgn(game: Game, result = game.result()): string {
  const written: Pgn<{ san: string }> = { headers: new Map(game.headers), moves: new Node() };
  if (game.start !== INITIAL_FEN) {
    setStartingPosition(written.headers, positionOf(game.start));
    written.headers.set("SetUp", "1");
  }
  // After the position, which sets the variant that the position alone implies.
  if (game.chess960) written.headers.set("Variant", "Chess960");
  written.headers.set("Result", result);
  let node: Node<{ san: string }> = written.moves;
  for (const san of game.sans()) {
    const child = new ChildNode({ san });
    node.children.push(child);
    node = child;
  }
  return wrapped(makePgn(written));
}
