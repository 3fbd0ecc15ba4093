// Judges the moves of a game by the evaluations before and after them: the formulas of `ibex-lab analyse`.

import type { Chess } from "chessops/chess";
import type { Evaluation } from "chessops/pgn";

import type { Game, Node } from "./game";
import type { Colour } from "./state";

/** The losses of winning chances, in percent, from which a move is dubious, a mistake, a blunder; and its glyph. */
export const MARKS = [
  { name: "blunder", least: 15, glyph: 4 },
  { name: "mistake", least: 10, glyph: 2 },
  { name: "dubious", least: 5, glyph: 6 },
] as const;

export const PHASES = ["opening", "middlegame", "endgame"] as const;
export type Phase = (typeof PHASES)[number];

/** White's winning chances, -1 to 1. */
export function chances(evaluation: Evaluation): number {
  if ("mate" in evaluation) return evaluation.mate > 0 ? 1 : -1;
  return 2 / (1 + Math.exp(-0.00368208 * 100 * evaluation.pawns)) - 1;
}

/** The accuracy of a move that has lost so many percent of winning chances, 0 to 100. */
export function accuracy(lost: number): number {
  return Math.max(0, Math.min(100, 103.1668 * Math.exp(-0.04354 * lost) - 3.1669));
}

/** The phase of each position of a line, which never goes back to an earlier one. */
export function phases(positions: Chess[]): Phase[] {
  let phase = 0;
  return positions.map(({ board, fullmoves }) => {
    const pieces = board.queen.union(board.rook).union(board.bishop).union(board.knight).size();
    const now = pieces <= 6 ? 2 : pieces < 12 || fullmoves > 15 ? 1 : 0;
    phase = Math.max(phase, now);
    return PHASES[phase]!;
  });
}

/** A move of the main line, judged. */
export interface Judged {
  node: Node;
  player: Colour;
  phase: Phase;
  /** Winning chances lost, in percent. */
  lost: number;
  mark: (typeof MARKS)[number] | undefined;
}

/** The evaluation of a place: a search's or the file's, or that of the end of the game. */
function known(game: Game, node: Node): Evaluation | undefined {
  if (node.children.length > 0) return node.evaluation;
  const ending = game.ending(node.line.map(({ uci }) => uci), false);
  if (ending === undefined) return node.evaluation;
  return ending.winner === undefined ? { pawns: 0 } : { mate: ending.winner === "white" ? 1 : -1 };
}

/** The moves of the main line for which the evaluations before and after are known. */
export function judge(game: Game): Judged[] {
  const line = game.mainline;
  const positions = game.positions(line);
  const phaseOf = phases(positions);
  return line.flatMap((node, at) => {
    const before = node.parent!;
    const [had, has] = [known(game, before), known(game, node)];
    if (had === undefined || has === undefined) return [];
    const player = positions[at]!.turn;
    const sign = player === "white" ? 1 : -1;
    // The engine's own move loses nothing.
    const isBest = before.best[0] === node.uci;
    const lost = isBest ? 0 : Math.max(0, 50 * sign * (chances(had) - chances(has)));
    return [{ node, player, phase: phaseOf[at]!, lost, mark: MARKS.find(({ least }) => lost >= least) }];
  });
}

/** Mean accuracy and marks, of a player or of all moves given; undefined without moves. */
export function summary(moves: Judged[]): { accuracy: number; marks: number[] } | undefined {
  if (moves.length === 0) return undefined;
  const sum = moves.reduce((sum, { lost }) => sum + accuracy(lost), 0);
  return { accuracy: sum / moves.length, marks: MARKS.map((mark) => moves.filter((move) => move.mark === mark).length) };
}
