// A game: its start, its moves, and the current place in it. Moves off its line are a variation; the game stays.

import type { Chess } from "chessops/chess";
import { chessgroundDests } from "chessops/compat";
import { INITIAL_FEN, makeFen } from "chessops/fen";
import { defaultHeaders } from "chessops/pgn";
import { makeSanAndPlay, parseSan } from "chessops/san";
import type { Color, NormalMove } from "chessops/types";
import { makeSquare, makeUci, parseUci } from "chessops/util";

import { castlesFromElsewhere, identity, isFirstPosition, legalMove, positionOf } from "./position";

/** The end of a game. */
export interface Ending {
  winner: "white" | "black" | undefined;
  reason: string;
}

/** What can be kept in the browser's storage. */
export interface Saved {
  start: string;
  chess960: boolean;
  moves: string[];
  ply: number;
  /** Missing in what older versions have stored. */
  headers?: [string, string][];
}

const ROLES_BY_WORTH = ["king", "queen", "rook", "bishop", "knight", "pawn"] as const;

export class Game {
  /** The game's moves in UCI, castling as king takes rook. */
  moves: string[] = [];
  /** The number of moves played on the board. */
  ply = 0;
  /** Moves off the game's line, from `ply` on. */
  variation: string[] = [];
  /** The tags of the PGN. `Result` is that of a loaded game, which the moves need not show; `*` if only they count. */
  headers = defaultHeaders();

  /** Whether it is written as Chess960: by choice, or because castling starts from squares impossible in chess. */
  readonly chess960: boolean;

  constructor(
    readonly start: string = INITIAL_FEN,
    chess960 = false,
  ) {
    this.chess960 = chess960 || castlesFromElsewhere(positionOf(start));
  }

  /** Moves from the start to the position on the board. */
  get path(): string[] {
    return [...this.moves.slice(0, this.ply), ...this.variation];
  }

  get inVariation(): boolean {
    return this.variation.length > 0;
  }

  /** Whether it holds more than an initial position. */
  get holdsWork(): boolean {
    return this.moves.length > 0 || this.inVariation || !isFirstPosition(this.start);
  }

  get atEnd(): boolean {
    return this.ply === this.moves.length && !this.inVariation;
  }

  /** The position on the board, or the one after some of the game's moves. */
  position(path: string[] = this.path): Chess {
    const position = positionOf(this.start);
    for (const move of path) position.play(parseUci(move)!);
    return position;
  }

  fen(): string {
    return makeFen(this.position().toSetup());
  }

  /** The position in words, for users who do not see the board. */
  description(): string {
    const { board, turn } = this.position();
    const side = (colour: Color) => {
      const men = ROLES_BY_WORTH.flatMap((role) => [...board.pieces(colour, role)].map((at) => `${role} ${makeSquare(at)}`));
      return `${colour}: ${men.join(", ")}`;
    };
    return `Chess board, ${turn} to move. ${side("white")}; ${side("black")}.`;
  }

  /** The engine's command for a position. */
  command(path: string[] = this.path): string {
    return `position fen ${this.start}${path.length > 0 ? ` moves ${path.join(" ")}` : ""}`;
  }

  /** The destinations of each man, for the board. */
  dests() {
    return chessgroundDests(this.position(), { chess960: this.chess960 });
  }

  /** A move in the notation of the rules, castling as king takes rook; undefined if it is not legal. */
  legal(move: NormalMove): NormalMove | undefined {
    return legalMove(this.position(), move);
  }

  /** Plays a legal move: on the game's line if it is the next move or the game ends here, otherwise in a variation. */
  play(move: NormalMove): void {
    const uci = makeUci(move);
    if (this.inVariation) {
      this.variation.push(uci);
    } else if (this.ply === this.moves.length) {
      this.moves.push(uci);
      this.ply += 1;
      this.reopen();
    } else if (this.moves[this.ply] === uci) {
      this.ply += 1;
    } else {
      this.variation.push(uci);
    }
  }

  /** Drops the tags about the end of a game that now ends elsewhere. */
  private reopen(): void {
    this.headers.set("Result", "*");
    this.headers.delete("Termination");
    this.headers.delete("PlyCount");
  }

  /** Plays moves of a line that the engine shows; the game stays unchanged. */
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

  /** Removes the last moves of the game. */
  takeBack(count: number): void {
    this.moves.length = Math.max(0, this.moves.length - count);
    this.reopen();
    this.go(this.moves.length);
  }

  /** The last move on the board, in UCI. */
  last(): string | undefined {
    return this.path.at(-1);
  }

  /** Each move of the game in standard algebraic notation. */
  sans(): string[] {
    const position = positionOf(this.start);
    return this.moves.map((move) => makeSanAndPlay(position, parseUci(move)!));
  }

  /**
   * How the game has ended at the position on the board, or after some of its moves, if it has. Without `claims`, only
   * as it ends automatically: a third occurrence and fifty moves have to be claimed, and a game not played here may go
   * on after them. The fifth occurrence and 75 moves end it (FIDE's laws, 9.6).
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
    const times = seen.get(identity(position)) ?? 0;
    if (times >= 5) return { winner: undefined, reason: "fivefold repetition" };
    if (position.halfmoves >= 150) return { winner: undefined, reason: "seventy-five moves" };
    if (!claims) return undefined;
    if (times >= 3) return { winner: undefined, reason: "threefold repetition" };
    if (position.halfmoves >= 100) return { winner: undefined, reason: "fifty moves" };
    return undefined;
  }

  /** The game's result in PGN: as its tags say, or as the rules end it without a claim after its last move, or `*`. */
  result(): string {
    const told = this.headers.get("Result");
    if (told === "1-0" || told === "0-1" || told === "1/2-1/2") return told;
    const ending = this.ending(this.moves, false);
    if (ending === undefined) return "*";
    return ending.winner === undefined ? "1/2-1/2" : ending.winner === "white" ? "1-0" : "0-1";
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

  /** The move that a text denotes at the position on the board: in standard algebraic notation, or in UCI. */
  parse(text: string): NormalMove | undefined {
    const position = this.position();
    const plain = text.replace(/[!?]+$/, "").replace(/[‐-―]/g, "-").replace(/0/g, "O");
    // Phone keyboards write `nf3` and `o-o`. A lower-case letter means a file if that gives a move: `bxc3`.
    const capital = /^o/i.test(plain) ? plain.toUpperCase() : plain.charAt(0).toUpperCase() + plain.slice(1);
    const move = parseSan(position, plain) ?? parseUci(plain.toLowerCase()) ?? parseSan(position, capital);
    return move !== undefined && "from" in move ? move : undefined;
  }

  /** Whether a text would be a legal move if it named the promotion. */
  lacksPromotion(text: string): boolean {
    const move = this.parse(`${text.replace(/[+#!?]+$/, "")}q`);
    return move?.promotion !== undefined && this.legal(move) !== undefined;
  }
}
