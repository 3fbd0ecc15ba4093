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

/** The position that a FEN describes. Throws an error that says what is wrong. */
export function positionOf(fen: string): Chess {
  const setup = parseFen(fen.trim()).unwrap(
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
    ERR_FEN: "six fields are expected",
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
    ERR_IMPOSSIBLE_CHECK: "the check is impossible",
    ERR_PAWNS_ON_BACKRANK: "a pawn stands on the first or last rank",
    ERR_VARIANT: "this variant of chess is not played here",
  };
  return known[name] ?? name;
}

const SAN = /^(?:[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=?[QRBNqrbn])?|[O0]-[O0](?:-[O0])?)[+#]?[!?]*$/;
const RESULT = /^(?:1[-–—]0|0[-–—]1|1\/2(?:[-–—]1\/2)?|\*)$/;
/** What others write between moves: numbers without a dot, marks of a move's worth, and judgements of the position. */
const REMARK = /^(?:\d+|[!?…]+|(?!-+$)[-+=/±∓⩲⩱∞]+)$/;

/**
 * The first game of a PGN, tags and moves apart. The next game begins with a line that begins with a bracket outside of
 * comments. Comments before and between the tags are left out, and so are lines for programs.
 */
function firstGame(text: string): [string, string] {
  const tags = /^\uFEFF?\s*(?:(?:\[\s*\w+\s+"(?:[^"\\]|\\.)*"\s*\]|[%;].*|\{[^}]*\})\s*)*/.exec(text)![0];
  const rest = text.slice(tags.length);
  let end = rest.length;
  for (const { 0: found, index } of rest.matchAll(/\{[^}]*\}|;.*$|^\[/gm)) {
    if (found === "[") {
      end = index;
      break;
    }
  }
  const plain = tags.replace(/("(?:[^"\\]|\\.)*")|[%;].*|\{[^}]*\}/g, (_, quoted: string | undefined) => quoted ?? "");
  return [plain, rest.slice(0, end).replace(/^%.*$/gm, "")];
}

/** The words of a game's own line: what should be moves, and the result behind them if there is one. */
function ownLine(text: string): string[] {
  let moves = text.replace(/\{[^}]*\}|;.*$/gm, " ");
  for (let before = ""; before !== moves; ) {
    before = moves;
    moves = moves.replace(/\([^()]*\)/g, " ");
  }
  const words = moves
    .replace(/\$\d+|\d+\.+(\s*\.+)*|e\.\s?p\./g, " ")
    .split(/\s+/)
    .filter((word) => word !== "" && !REMARK.test(word));
  const end = words.findIndex((word) => RESULT.test(word));
  if (end >= 0 && words[end] === "1/2") words[end] = "1/2-1/2";
  return words.slice(0, end < 0 ? undefined : end + 1);
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

  constructor(
    readonly start: string = INITIAL_FEN,
    readonly chess960 = false,
  ) {}

  /** Moves from the beginning to the position on the board. */
  get path(): string[] {
    return [...this.moves.slice(0, this.ply), ...this.variation];
  }

  get inVariation(): boolean {
    return this.variation.length > 0;
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
    const position = this.position();
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
    const move = parseSan(this.position(), text.replace(/0/g, "O")) ?? parseUci(text.toLowerCase());
    return move !== undefined && "from" in move ? move : undefined;
  }

  /** Whether a text would mean a legal move if it said what the pawn becomes. */
  lacksPromotion(text: string): boolean {
    const move = this.parse(`${text.replace(/[+#]$/, "")}q`);
    return move?.promotion !== undefined && this.legal(move) !== undefined;
  }

  /** The first game of a PGN. Throws an error that says where it is wrong. */
  static read(text: string): Game {
    const [tags, moves] = firstGame(text);
    const line = ownLine(moves);
    // The parser would leave it out.
    const stray = line.find((word) => !SAN.test(word) && !RESULT.test(word));
    if (stray !== undefined) throw new Error(`'${stray}' is no move.`);
    const first = parsePgn(`${tags}\n${line.join(" ")}`)[0];
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
    const chess960 = /960|fischer/i.test(first.headers.get("Variant") ?? "");
    const game = new Game(makeFen(position.toSetup()), chess960);
    game.headers = first.headers;
    for (const node of first.moves.mainline()) {
      const move = parseSan(position, node.san);
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
