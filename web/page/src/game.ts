// A game: where it begins, its moves, and where in it we are. Moves off its line are a variation; the game stays.

import { Chess, type Position } from "chessops/chess";
import { chessgroundDests } from "chessops/compat";
import { INITIAL_FEN, makeFen, parseFen } from "chessops/fen";
import { type Game as Pgn, defaultHeaders, makePgn, Node, ChildNode, parsePgn, setStartingPosition, startingPosition } from "chessops/pgn";
import { makeSan, makeSanAndPlay, parseSan } from "chessops/san";
import type { Color, NormalMove } from "chessops/types";
import { makeSquare, makeUci, parseUci, squareFile, squareRank } from "chessops/util";

/** How a game has ended. */
export interface Ending {
  winner: "white" | "black" | undefined;
  reason: string;
}

/** What can be kept in a browser's storage. */
export interface Saved {
  start: string;
  chess960: boolean;
  moves: string[];
  ply: number;
  /** Not in what older versions have kept. */
  headers?: [string, string][];
}

const ROLES_BY_WORTH = ["king", "queen", "rook", "bishop", "knight", "pawn"] as const;

/** What a position is for the rule of repetition. */
const identity = (position: Position): string => makeFen(position.toSetup()).split(" ").slice(0, 4).join(" ");

/** A FEN without what an EPD line has behind its fields: `… w - - bm Qg6; id "WAC.001";`, `… 0 1 ; a remark`. */
function plainFen(text: string): string {
  const fields = text.trim().split(/[\s_]+/);
  let end = Math.min(4, fields.length);
  while (end < 6 && /^\d+$/.test(fields[end] ?? "")) end += 1;
  // An operation ends with a semicolon; without one the text is a FEN with a mistake.
  const rest = fields.slice(end);
  return rest.some((field) => field.includes(";")) ? fields.slice(0, end).join(" ") : text.trim();
}

/** The position that a FEN describes, or a line of EPD. Throws an error that says what is wrong. */
export function positionOf(fen: string): Chess {
  const setup = parseFen(plainFen(fen)).unwrap(
    (setup) => setup,
    (error) => {
      throw new Error(`This is no FEN: ${words(error.message)}.`);
    },
  );
  return Chess.fromSetup(setup).unwrap(
    (position) => position,
    (error) => {
      throw new Error(`This position cannot occur: ${words(error.message)}.`);
    },
  );
}

/** The names of chessops' errors as words. */
function words(name: string): string {
  const known: Record<string, string> = {
    ERR_FEN: "there is something behind the sixth field",
    ERR_BOARD: "the board",
    ERR_POCKETS: "pieces in hand are not of this game",
    ERR_TURN: "the side to move is neither w nor b",
    ERR_CASTLING: "the castling rights",
    ERR_EP_SQUARE: "the en passant square",
    ERR_REMAINING_CHECKS: "counts of checks are not of this game",
    ERR_HALFMOVES: "the halfmove clock",
    ERR_FULLMOVES: "the move number",
    ERR_EMPTY: "the board is empty",
    ERR_KINGS: "each side needs one king",
    ERR_OPPOSITE_CHECK: "the side that is not to move is in check",
    ERR_PAWNS_ON_BACKRANK: "a pawn stands on the first or last rank",
    ERR_VARIANT: "this variant of chess is not played here",
  };
  return known[name] ?? name;
}

/** A move, in the usual notation, a long one, or that of UCI. */
const MOVE = /^(?:[KQRBN]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:=?[QRBNqrbn])?|[O0]-[O0](?:-[O0])?)[+#]?[!?]*$/;
const RESULT = /^(?:1[-–—:]0|0[-–—:]1|(?:1\/2|½)(?:[-–—:](?:1\/2|½))?|\*)$/;
/**
 * What others write between moves: numbers without a dot, marks of a move's worth, and judgements of the position. No
 * number of a move is `0000`, the null move.
 */
const REMARK = /^(?:[1-9]\d*|[!?…]+|(?!-+$)[-+=/±∓⩲⩱∞]+)$/;
/** Pictures of the pieces, which some programs write for their letters; the pawn has none. */
const FIGURINES: Record<string, string> = { "♔": "K", "♕": "Q", "♖": "R", "♗": "B", "♘": "N", "♙": "", "♚": "K", "♛": "Q", "♜": "R", "♝": "B", "♞": "N", "♟": "" };

/** A result as PGN writes it: `½:½` is `1/2-1/2`. */
function asResult(word: string): string {
  if (!RESULT.test(word)) return "*";
  return word.startsWith("1/") || word.startsWith("½") ? "1/2-1/2" : word.replace(/[–—:]/, "-");
}

/** The tags of a PGN's first game, its moves, and what stands behind them. */
interface FirstGame {
  tags: Map<string, string>;
  moves: string;
  rest: string;
}

/**
 * Reads the tags of the first game and finds the end of its moves. The next game begins with a line that begins with a
 * bracket outside of comments. Comments before and between the tags are left out, and so are lines for programs. Throws
 * an error that names a line that begins as a tag and is none.
 */
function firstGame(text: string): FirstGame {
  const tags = new Map<string, string>();
  const between = /(?:\s+|[%;].*|\{[^}]*\})*/y;
  // A value may be broken over two lines. Quotes inside of it should have backslashes; some programs write none.
  const strict = /\[\s*([\w+#=:-]+)\s+"((?:[^"\\]|\\.)*)"\s*\]/y;
  const loose = /\[\s*([\w+#=:-]+)\s+"(.*)"\s*\](?=[^\S\n]*$)/my;
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  for (;;) {
    between.lastIndex = at;
    at += between.exec(text)![0].length;
    strict.lastIndex = loose.lastIndex = at;
    const tag = strict.exec(text) ?? loose.exec(text);
    if (tag === null) break;
    const value = tag[2]!.replace(/\\(["\\])/g, "$1").replace(/\s*\n\s*/g, " ");
    tags.set(tag[1]!, tag[1] === "Result" ? asResult(value) : value);
    at += tag[0].length;
  }
  const behind = text.slice(at);
  if (behind.startsWith("[")) throw new Error(`'${/^.{0,40}/.exec(behind)![0]}' is no tag.`);
  let end = behind.length;
  for (const { 0: found, index } of behind.matchAll(/\{[^}]*\}|;.*$|^\[/gm)) {
    if (found === "[") {
      end = index;
      break;
    }
  }
  return { tags, moves: behind.slice(0, end).replace(/^%.*$/gm, ""), rest: behind.slice(end) };
}

/** The words of a game's own line: what should be moves, and the result behind them if there is one; and what follows. */
function ownLine(text: string): { line: string[]; rest: string[] } {
  let moves = text
    .replace(/\{[^}]*\}|;.*$/gm, " ")
    .replace(/[♔-♟]\uFE0E?/g, (picture) => FIGURINES[picture[0]!]!)
    .replace(/\b([a-h][18])\(([QRBN])\)/g, "$1=$2");
  for (let before = ""; before !== moves; ) {
    before = moves;
    moves = moves.replace(/\([^()]*\)/g, " ");
  }
  const words = moves
    .replace(/\$\d+|\d+\.+(\s*\.+)*|e\.\s?p\./g, " ")
    .split(/\s+/)
    .filter((word) => word !== "" && !REMARK.test(word))
    // Two signs were a double check, or mate.
    .map((word) => word.replace(/\+\+(?=[!?]*$)/, "+"));
  const end = words.findIndex((word) => RESULT.test(word));
  if (end >= 0) words[end] = asResult(words[end]!);
  const length = end < 0 ? words.length : end + 1;
  return { line: words.slice(0, length), rest: words.slice(length) };
}

/** What a PGN has beside the moves of its first game, in words for the user; empty if it has nothing else. */
export function leftOut(text: string): string {
  const { moves, rest } = firstGame(text);
  const games = text.match(/^\s*\[\s*Event\s/gm)?.length ?? 0;
  const several = rest.trim() !== "" || ownLine(moves).rest.length > 0;
  const first = games > 1 ? `The first of ${games} games.` : several ? "The first of several games." : "";
  const bare = moves.replace(/\{[^}]*\}|;.*$/gm, "");
  const parts = [
    bare.length < moves.length && "comments",
    /\((?![QRBN]\))/.test(bare) && "variations",
    /\$\d|[!?]/.test(bare) && "marks",
  ].filter((part) => part !== false);
  const list = parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
  const without = list === "" ? "" : `${list[0]!.toUpperCase()}${list.slice(1)} are left out.`;
  return [first, without].filter((sentence) => sentence !== "").join(" ");
}

/** The text of a file: UTF-8, or where it is none the encoding of older programs, Windows-1252 with Latin-1 in it. */
export function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Whether a FEN names the castling rooks by their files, as that of Chess960 does. */
export const namesFiles = (fen: string): boolean => /^\S+?[\s_]+[wb][\s_]+[A-Ha-h]+(?=[\s_]|$)/.test(fen.trim());

/** Whether games of chess or of Chess960 begin in a position. */
function isFirstPosition(fen: string): boolean {
  const rank = /^(\w{8})\/p{8}\/8\/8\/8\/8\/P{8}\/(\w{8}) w [A-Za-z]{4} - 0 1$/.exec(fen);
  return rank !== null && rank[1] === rank[2]!.toLowerCase() && [...rank[1]!].sort().join("") === "bbknnqrr";
}

/** Whether a king or a rook that may castle stands where it does in Chess960 alone. */
function castlesFromElsewhere({ board, castles }: Chess): boolean {
  return (["white", "black"] as const).some((colour) => {
    const { a, h } = castles.rook[colour];
    const king = board.kingOf(colour);
    if (king === undefined || (a === undefined && h === undefined)) return false;
    const elsewhere = (rook: number | undefined, file: number) => rook !== undefined && squareFile(rook) !== file;
    return squareFile(king) !== 4 || elsewhere(a, 0) || elsewhere(h, 7);
  });
}

export class Game {
  /** The game's moves in UCI, castling as king takes rook. */
  moves: string[] = [];
  /** How many of them have been played on the board. */
  ply = 0;
  /** Moves off the game's line, from `ply` on. */
  variation: string[] = [];
  /** Those of the PGN. `Result` is that of a loaded game, which the moves need not show; `*` where only they count. */
  headers = defaultHeaders();

  /** Whether it is written as Chess960: chosen so, or castling is possible from where it is not in chess. */
  readonly chess960: boolean;

  constructor(
    readonly start: string = INITIAL_FEN,
    chess960 = false,
  ) {
    this.chess960 = chess960 || castlesFromElsewhere(positionOf(start));
  }

  /** Moves from the beginning to the position on the board. */
  get path(): string[] {
    return [...this.moves.slice(0, this.ply), ...this.variation];
  }

  get inVariation(): boolean {
    return this.variation.length > 0;
  }

  /** Whether there is more in it than a position in which games begin. */
  get holdsWork(): boolean {
    return this.moves.length > 0 || this.inVariation || !isFirstPosition(this.start);
  }

  get atEnd(): boolean {
    return this.ply === this.moves.length && !this.inVariation;
  }

  /** The position on the board, or that after some of the game's moves. */
  position(path: string[] = this.path): Chess {
    const position = positionOf(this.start);
    for (const move of path) position.play(parseUci(move)!);
    return position;
  }

  fen(): string {
    return makeFen(this.position().toSetup());
  }

  /** The position in words, for those who do not see the board. */
  description(): string {
    const { board, turn } = this.position();
    const side = (colour: Color) => {
      const men = ROLES_BY_WORTH.flatMap((role) => [...board.pieces(colour, role)].map((at) => `${role} ${makeSquare(at)}`));
      return `${colour}: ${men.join(", ")}`;
    };
    return `Chess board, ${turn} to move. ${side("white")}; ${side("black")}.`;
  }

  /** What to tell the engine of a position. */
  command(path: string[] = this.path): string {
    return `position fen ${this.start}${path.length > 0 ? ` moves ${path.join(" ")}` : ""}`;
  }

  /** Where each man may go, for the board. */
  dests() {
    return chessgroundDests(this.position(), { chess960: this.chess960 });
  }

  /** A move as the rules have it, castling as king takes rook; undefined where it is not legal. */
  legal(move: NormalMove): NormalMove | undefined {
    return legalMove(this.position(), move);
  }

  /** Plays a legal move: on the game's line where it is the next move or the game ends here, else in a variation. */
  play(move: NormalMove): void {
    const uci = makeUci(move);
    if (this.inVariation) {
      this.variation.push(uci);
    } else if (this.ply === this.moves.length) {
      this.moves.push(uci);
      this.ply += 1;
      // The result was that of the game without this move.
      this.headers.set("Result", "*");
    } else if (this.moves[this.ply] === uci) {
      this.ply += 1;
    } else {
      this.variation.push(uci);
    }
  }

  /** Plays moves of a line that the engine shows; the game stays as it is. */
  explore(moves: string[]): void {
    this.variation.push(...moves);
  }

  go(ply: number): void {
    this.variation = [];
    this.ply = Math.max(0, Math.min(this.moves.length, ply));
  }

  back(): void {
    if (this.inVariation) this.variation.pop();
    else this.go(this.ply - 1);
  }

  forward(): void {
    if (!this.inVariation) this.go(this.ply + 1);
  }

  /** Forgets the last moves of the game. */
  takeBack(count: number): void {
    this.moves.length = Math.max(0, this.moves.length - count);
    this.headers.set("Result", "*");
    this.go(this.moves.length);
  }

  /** The last move on the board, in UCI. */
  last(): string | undefined {
    return this.path.at(-1);
  }

  /** Each move of the game in the usual notation. */
  sans(): string[] {
    const position = positionOf(this.start);
    return this.moves.map((move) => makeSanAndPlay(position, parseUci(move)!));
  }

  /**
   * How the game has ended at the position on the board, or after some of its moves, if it has. Without `claims` only as it
   * ends by itself: draws by repetition and by the 50-move rule are claimed, and a game that was not played here may go on.
   */
  ending(path: string[] = this.path, claims = true): Ending | undefined {
    const position = positionOf(this.start);
    const seen = new Map<string, number>([[identity(position), 1]]);
    for (const move of path) {
      position.play(parseUci(move)!);
      const key = identity(position);
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
    if (position.isCheckmate()) return { winner: position.turn === "white" ? "black" : "white", reason: "checkmate" };
    if (position.isStalemate()) return { winner: undefined, reason: "stalemate" };
    if (position.isInsufficientMaterial()) return { winner: undefined, reason: "neither side can mate" };
    if (!claims) return undefined;
    if ((seen.get(identity(position)) ?? 0) >= 3) return { winner: undefined, reason: "threefold repetition" };
    if (position.halfmoves >= 100) return { winner: undefined, reason: "fifty moves" };
    return undefined;
  }

  /** How the game has ended, as PGN writes it: as its PGN says, or by the rules after its last move, or `*`. */
  result(): string {
    const told = this.headers.get("Result");
    if (told === "1-0" || told === "0-1" || told === "1/2-1/2") return told;
    const ending = this.ending(this.moves);
    if (ending === undefined) return "*";
    return ending.winner === undefined ? "1/2-1/2" : ending.winner === "white" ? "1-0" : "0-1";
  }

  /** The game as PGN. */
  pgn(result = this.result()): string {
    const game: Pgn<{ san: string }> = { headers: new Map(this.headers), moves: new Node() };
    if (this.start !== INITIAL_FEN) {
      setStartingPosition(game.headers, positionOf(this.start));
      game.headers.set("SetUp", "1");
    }
    // After the position, which brings the variant that it could be by itself.
    if (this.chess960) game.headers.set("Variant", "Chess960");
    game.headers.set("Result", result);
    let node: Node<{ san: string }> = game.moves;
    for (const san of this.sans()) {
      const child = new ChildNode({ san });
      node.children.push(child);
      node = child;
    }
    return makePgn(game);
  }

  save(): Saved {
    const { start, chess960, moves, ply } = this;
    return { start, chess960, moves, ply, headers: [...this.headers] };
  }

  static restore(saved: Saved): Game {
    const game = new Game(saved.start, saved.chess960);
    game.moves = saved.moves;
    game.position(game.moves);
    game.go(saved.ply);
    if (saved.headers !== undefined) game.headers = new Map(saved.headers);
    return game;
  }

  /** The move that a text means at the position on the board: in the usual notation, or in UCI. */
  parse(text: string): NormalMove | undefined {
    const position = this.position();
    const plain = text.replace(/[!?]+$/, "").replace(/[‐-―]/g, "-").replace(/0/g, "O");
    // The keyboard of a phone writes `nf3` and `o-o`. A small letter means a file where that is a move: `bxc3`.
    const capital = /^o/i.test(plain) ? plain.toUpperCase() : plain.charAt(0).toUpperCase() + plain.slice(1);
    const move = parseSan(position, plain) ?? parseUci(plain.toLowerCase()) ?? parseSan(position, capital);
    return move !== undefined && "from" in move ? move : undefined;
  }

  /** Whether a text would mean a legal move if it said what the pawn becomes. */
  lacksPromotion(text: string): boolean {
    const move = this.parse(`${text.replace(/[+#!?]+$/, "")}q`);
    return move?.promotion !== undefined && this.legal(move) !== undefined;
  }

  /** The first game of a PGN. Throws an error that says where it is wrong. */
  static read(text: string): Game {
    const { tags, moves } = firstGame(text);
    const { line } = ownLine(moves);
    // The parser would leave it out.
    const stray = line.find((word) => !MOVE.test(word) && !RESULT.test(word));
    if (stray !== undefined) throw new Error(`'${stray}' is no move.`);
    const first = parsePgn(line.join(" ") || "*", () => new Map([...defaultHeaders(), ...tags]))[0];
    if (first === undefined || (first.moves.children.length === 0 && !first.headers.has("FEN"))) {
      throw new Error("There is no game in this text.");
    }
    const position = startingPosition(first.headers).unwrap(
      (position) => position,
      (error) => {
        throw new Error(`The game's first position is wrong: ${words(error.message)}.`);
      },
    );
    if (position.rules !== "chess") throw new Error("This variant of chess is not played here.");
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
}

/** A move as the rules have it, castling as king takes rook; undefined where it is not legal. */
function legalMove(position: Chess, move: NormalMove): NormalMove | undefined {
  // By its squares, because chessops takes a king's step to any man of its own side for castling.
  const to = position.dests(move.from);
  if (to.has(move.to)) return position.isLegal(move) ? move : undefined;
  // The king may also go to where castling takes it.
  const sides: Record<number, "a" | "h" | undefined> = { 2: "a", 6: "h" };
  const side = sides[squareFile(move.to)];
  const isAlongRank = move.from !== move.to && squareRank(move.from) === squareRank(move.to);
  if (side === undefined || !isAlongRank || move.promotion !== undefined) return undefined;
  if (position.board.getRole(move.from) !== "king") return undefined;
  const rook = position.castles.rook[position.turn][side];
  return rook !== undefined && to.has(rook) ? { from: move.from, to: rook } : undefined;
}

/** The legal move that a text of a PGN means in UCI's notation: `g1f3`, with a dash, a cross or a sign of check too. */
function readUci(position: Chess, text: string): NormalMove | undefined {
  const move = parseUci(text.toLowerCase().replace(/[-x=+#]/g, ""));
  return move !== undefined && "from" in move ? legalMove(position, move) : undefined;
}

/** Moves from a position in the usual notation, with numbers; as far as they are legal. */
export function variationSans(from: Chess, moves: string[]): { san: string; uci: string }[] {
  const position = from.clone();
  const sans: { san: string; uci: string }[] = [];
  for (const uci of moves) {
    const move = parseUci(uci);
    if (move === undefined || !position.isLegal(move)) break;
    const dots = position.turn === "white" ? "." : "…";
    const label: string = position.turn === "white" || sans.length === 0 ? `${position.fullmoves}${dots} ` : "";
    sans.push({ san: label + makeSan(position, move), uci });
    position.play(move);
  }
  return sans;
}

/** The position of a number of Chess960, 0 to 959, 518 being the usual one. */
export function chess960(number: number): string {
  const rank: (string | undefined)[] = Array(8).fill(undefined);
  const free = (n: number) => rank.map((piece, i) => (piece === undefined ? i : -1)).filter((i) => i >= 0)[n]!;
  rank[2 * (number % 4) + 1] = "b";
  number = Math.floor(number / 4);
  rank[2 * (number % 4)] = "b";
  number = Math.floor(number / 4);
  rank[free(number % 6)] = "q";
  number = Math.floor(number / 6);
  // Two knights on five squares.
  const [first, second] = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]][number]!;
  const squares = [free(first!), free(second!)];
  for (const square of squares) rank[square] = "n";
  for (const piece of ["r", "k", "r"]) rank[free(0)] = piece;
  const pieces = rank.join("");
  return makeFen(positionOf(`${pieces}/pppppppp/8/8/8/8/PPPPPPPP/${pieces.toUpperCase()} w KQkq - 0 1`).toSetup());
}
