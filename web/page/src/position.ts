// Positions: read from FEN, their legal moves, and the initial positions of chess and Chess960.

import { Chess, type Position } from "chessops/chess";
import { makeFen, parseFen } from "chessops/fen";
import { makeSan } from "chessops/san";
import type { NormalMove } from "chessops/types";
import { parseUci, squareFile, squareRank } from "chessops/util";

/** A FEN without what an EPD line has after its fields: `… w - - bm Qg6; id "WAC.001";`, `… 0 1 ; a remark`. */
function plainFen(text: string): string {
  const fields = text.trim().split(/[\s_]+/);
  let end = Math.min(4, fields.length);
  while (end < 6 && /^\d+$/.test(fields[end] ?? "")) end += 1;
  // An operation ends with a semicolon; without one, the text is a FEN with an error.
  const rest = fields.slice(end);
  return rest.some((field) => field.includes(";")) ? fields.slice(0, end).join(" ") : text.trim();
}

/** The position that a FEN describes, or a line of EPD. Throws an error that says what is wrong. */
export function positionOf(fen: string): Chess {
  const setup = parseFen(plainFen(fen)).unwrap(
    (setup) => setup,
    (error) => {
      throw new Error(`This is not a FEN: ${inWords(error.message)}.`);
    },
  );
  return Chess.fromSetup(setup).unwrap(
    (position) => position,
    (error) => {
      throw new Error(`This position cannot occur: ${inWords(error.message)}.`);
    },
  );
}

/** The names of chessops' errors in words. */
export function inWords(name: string): string {
  const known: Record<string, string> = {
    ERR_FEN: "there is something after the sixth field",
    ERR_BOARD: "the board",
    ERR_POCKETS: "pieces in hand are not part of this game",
    ERR_TURN: "the side to move is neither w nor b",
    ERR_CASTLING: "the castling rights",
    ERR_EP_SQUARE: "the en passant square",
    ERR_REMAINING_CHECKS: "counts of checks are not part of this game",
    ERR_HALFMOVES: "the halfmove clock",
    ERR_FULLMOVES: "the move number",
    ERR_EMPTY: "the board is empty",
    ERR_KINGS: "each side needs one king",
    ERR_OPPOSITE_CHECK: "the side not to move is in check",
    ERR_PAWNS_ON_BACKRANK: "a pawn stands on the first or last rank",
    ERR_VARIANT: "this variant of chess is not supported here",
  };
  return known[name] ?? name;
}

/** The identity of a position for threefold repetition. */
export const identity = (position: Position): string => makeFen(position.toSetup()).split(" ").slice(0, 4).join(" ");

/** Whether a FEN names the castling rooks by their files, as in Chess960. */
export const namesFiles = (fen: string): boolean => /^[^\s_]+[\s_]+[wb][\s_]+[A-Ha-h]+(?=[\s_]|$)/.test(fen.trim());

/** Whether a position is an initial position of chess or Chess960. */
export function isFirstPosition(fen: string): boolean {
  const rank = /^(\w{8})\/p{8}\/8\/8\/8\/8\/P{8}\/(\w{8}) w [A-Za-z]{4} - 0 1$/.exec(fen);
  return rank !== null && rank[1] === rank[2]!.toLowerCase() && [...rank[1]!].sort().join("") === "bbknnqrr";
}

/** Whether a king or a rook that may castle is on a square that is possible only in Chess960. */
export function castlesFromElsewhere({ board, castles }: Chess): boolean {
  return (["white", "black"] as const).some((colour) => {
    const { a, h } = castles.rook[colour];
    const king = board.kingOf(colour);
    if (king === undefined || (a === undefined && h === undefined)) return false;
    const elsewhere = (rook: number | undefined, file: number) => rook !== undefined && squareFile(rook) !== file;
    return squareFile(king) !== 4 || elsewhere(a, 0) || elsewhere(h, 7);
  });
}

/** A move in the notation of the rules, castling as king takes rook; undefined if it is not legal. */
export function legalMove(position: Chess, move: NormalMove): NormalMove | undefined {
  // By its squares, because chessops takes a king's step to any man of its own side for castling.
  const to = position.dests(move.from);
  if (to.has(move.to)) return position.isLegal(move) ? move : undefined;
  // The king may also go to its castling destination.
  const sides: Record<number, "a" | "h" | undefined> = { 2: "a", 6: "h" };
  const side = sides[squareFile(move.to)];
  const isAlongRank = move.from !== move.to && squareRank(move.from) === squareRank(move.to);
  if (side === undefined || !isAlongRank || move.promotion !== undefined) return undefined;
  if (position.board.getRole(move.from) !== "king") return undefined;
  const rook = position.castles.rook[position.turn][side];
  return rook !== undefined && to.has(rook) ? { from: move.from, to: rook } : undefined;
}

/** Moves from a position in standard algebraic notation, with numbers, up to the first illegal one. */
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

/** The Chess960 position with this number, 0 to 959; 518 is the usual one. */
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
