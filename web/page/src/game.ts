// A game as a tree: its start, its moves with what is said of them, its variations, and the current place in it.

import type { Chess } from "chessops/chess";
import { chessgroundDests } from "chessops/compat";
import { INITIAL_FEN, makeFen } from "chessops/fen";
import { type CommentShape, defaultHeaders, type Evaluation } from "chessops/pgn";
import { makeSan, parseSan } from "chessops/san";
import type { Color, NormalMove } from "chessops/types";
import { makeSquare, makeUci, parseUci } from "chessops/util";

import { castlesFromElsewhere, identity, isFirstPosition, legalMove, positionOf } from "./position";

/** The end of a game. */
export interface Ending {
  winner: "white" | "black" | undefined;
  reason: string;
}

/** A move of the tree, with what is said of it and of the position after it; the root is the start, without a move. */
export class Node {
  /** What may follow; the first is the main line of this place. */
  readonly children: Node[] = [];
  /** A comment in front of the move, and one behind it. */
  before = "";
  comment = "";
  /** Numeric annotation glyphs. */
  glyphs: number[] = [];
  /** The evaluation after the move, White's view. */
  evaluation: Evaluation | undefined;
  /** The time left on the mover's clock, and the time that the move has taken, in seconds. */
  clock: number | undefined;
  spent: number | undefined;
  /** Arrows and squares. */
  shapes: CommentShape[] = [];
  /** What the engine would play after it, in UCI, as found by the search that gave the evaluation. */
  best: string[] = [];

  constructor(
    /** The move before; undefined at the root. */
    readonly parent: Node | undefined,
    /** In UCI, castling as king takes rook. */
    readonly uci: string,
    readonly san: string,
  ) {}

  /** The moves from the start to here, without the root. */
  get line(): Node[] {
    const line: Node[] = [];
    for (let node: Node = this; node.parent !== undefined; node = node.parent) line.push(node);
    return line.reverse();
  }

  /** Whether it is the first move at its place. */
  get isFirst(): boolean {
    return this.parent?.children[0] === this;
  }

  /** Whether it is on the main line, the root included. */
  get isMain(): boolean {
    return this.line.every((node) => node.isFirst);
  }
}

const ROLES_BY_WORTH = ["king", "queen", "rook", "bishop", "knight", "pawn"] as const;

export class Game {
  readonly root = new Node(undefined, "", "");
  /** The place on the board. */
  here = this.root;
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

  /** The main line. */
  get mainline(): Node[] {
    const line: Node[] = [];
    for (let node = this.root.children[0]; node !== undefined; node = node.children[0]) line.push(node);
    return line;
  }

  /** The moves of the main line in UCI. */
  get moves(): string[] {
    return this.mainline.map(({ uci }) => uci);
  }

  /** Moves from the start to the position on the board, in UCI. */
  get path(): string[] {
    return this.here.line.map(({ uci }) => uci);
  }

  /** The number of moves of the main line that lead towards the place on the board. */
  get ply(): number {
    const { line } = this.here;
    const leaves = line.findIndex((node) => !node.isFirst);
    return leaves < 0 ? line.length : leaves;
  }

  get inVariation(): boolean {
    return !this.here.isMain;
  }

  /** Whether it holds more than an initial position. */
  get holdsWork(): boolean {
    return this.root.children.length > 0 || !isFirstPosition(this.start);
  }

  /** Whether the board shows the end of the main line. */
  get atEnd(): boolean {
    return this.here.children.length === 0 && !this.inVariation;
  }

  /** The position on the board, or the one after some of the game's moves. */
  position(path: string[] = this.path): Chess {
    const position = positionOf(this.start);
    for (const move of path) position.play(parseUci(move)!);
    return position;
  }

  /** The positions before each of these moves, which begin at the start. */
  positions(line: Node[]): Chess[] {
    const position = positionOf(this.start);
    return line.map(({ uci }) => {
      const before = position.clone();
      position.play(parseUci(uci)!);
      return before;
    });
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

  /** Plays a legal move: one that the tree has, or a new one, which extends the line or begins a variation. */
  play(move: NormalMove): void {
    const goesOn = this.atEnd;
    this.add(makeUci(move));
    if (goesOn) this.reopen();
  }

  /** Goes to the next place by this legal move; adds it if the tree lacks it. */
  private add(uci: string): void {
    const known = this.here.children.find((child) => child.uci === uci);
    this.here = known ?? this.append(this.here, uci, makeSan(this.position(), parseUci(uci)!));
  }

  /** Adds a move behind those that the tree has at this place. */
  append(parent: Node, uci: string, san: string): Node {
    const child = new Node(parent, uci, san);
    parent.children.push(child);
    return child;
  }

  /** Drops the tags about the end of a game that now ends elsewhere. */
  private reopen(): void {
    this.headers.set("Result", "*");
    this.headers.delete("Termination");
    this.headers.delete("PlyCount");
  }

  /** Plays moves of a line that the engine shows. Behind the end of the main line they follow it; its tags stay. */
  explore(moves: string[]): void {
    for (const move of moves) this.add(move);
  }

  /** Goes to a number of moves of the main line. */
  go(ply: number): void {
    this.here = ply <= 0 ? this.root : (this.mainline[ply - 1] ?? this.mainline.at(-1) ?? this.root);
  }

  /** Goes back to the main line, where the variation on the board leaves it. */
  leave(): void {
    this.go(this.ply);
  }

  back(): void {
    this.here = this.here.parent ?? this.root;
  }

  forward(): void {
    this.here = this.here.children[0] ?? this.here;
  }

  /** Makes the variation with this move the first one at its place; on the main line, what was there follows it. */
  promote(node: Node): void {
    let first = node;
    while (first.parent !== undefined && first.isFirst) first = first.parent;
    const siblings = first.parent?.children;
    if (siblings === undefined) return;
    const wasMain = this.mainline.at(-1);
    siblings.splice(siblings.indexOf(first), 1);
    siblings.unshift(first);
    if (this.mainline.at(-1) !== wasMain) this.reopen();
  }

  /** Deletes a move and what follows it. */
  remove(node: Node): void {
    const { parent } = node;
    if (parent === undefined) return;
    if (node.isMain) this.reopen();
    if (this.here.line.includes(node)) this.here = parent;
    parent.children.splice(parent.children.indexOf(node), 1);
  }

  /** Removes the last moves of the game. */
  takeBack(count: number): void {
    const node = this.mainline.at(-count) ?? this.mainline[0];
    if (node === undefined) return;
    this.here = node.parent!;
    // With its variations: otherwise one of them would be the game now.
    this.here.children.length = 0;
    this.reopen();
  }

  /** The last move on the board, in UCI. */
  last(): string | undefined {
    return this.path.at(-1);
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
