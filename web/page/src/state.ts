// The state of the page: the game, and what is done with it. The other modules change it and then show it.

import type { Listed } from "./pgn";
import { select } from "./dom";
import type { Searcher } from "./engine";
import { type Ending, Game } from "./game";
import type { Line } from "./uci";

export type Colour = "white" | "black";
export type Mode = "play" | "analyse";

/** The players of a game played here. */
export const YOU = "You";
export const IBEX = "Ibex";
/** The status before the engine is loaded. */
export const LOADING = "Loading the engine…";

interface Page {
  game: Game;
  mode: Mode;
  orientation: Colour;
  /** The side that has resigned, if any. */
  resigned: Colour | undefined;
  /** The last move, if Ibex has played it here. */
  answer: string | undefined;
  /** Why Ibex does not search the position on the board, for the user. */
  refused: string | undefined;
  /** Whether the position on the board is being analysed; the user's wish is a choice of its own. */
  analysing: boolean;
  /** Whether the whole game is being analysed. */
  wholeGame: boolean;
  /** The lines of the position on the board. */
  lines: Line[];
  /** The games of the loaded text, if there are several; the one on the page is the one with this index. */
  games: Listed[];
  chosen: number;
  /** How far the analysis of the whole game is, in words. */
  progress: string;
  engine: Searcher | undefined;
  /** Why there is no engine, for the user. */
  failure: string | undefined;
  /** Counts the changes that make a search obsolete. */
  era: number;
}

export const page: Page = {
  game: new Game(),
  mode: "play",
  orientation: "white",
  resigned: undefined,
  answer: undefined,
  refused: undefined,
  analysing: false,
  wholeGame: false,
  lines: [],
  games: [],
  chosen: 0,
  progress: "",
  engine: undefined,
  failure: undefined,
  era: 0,
};

/** Whether the engine plays a colour. */
export function enginePlays(colour: Colour): boolean {
  return page.mode === "play" && select("colour").value !== colour;
}

export function isOver(): boolean {
  // In play, a draw is claimed as soon as it can be.
  return result() !== "*" || (page.mode === "play" && page.game.ending(page.game.moves) !== undefined);
}

export function result(): string {
  if (page.resigned !== undefined) return page.resigned === "white" ? "0-1" : "1-0";
  return page.game.result();
}

/** What the engine must do with the position on the board. */
export function due(): "move" | "analysis" | "nothing" {
  const { game, mode, analysing } = page;
  if (mode === "analyse") return analysing && game.ending(game.path, false) === undefined ? "analysis" : "nothing";
  return game.atEnd && !isOver() && enginePlays(game.position().turn) ? "move" : "nothing";
}

/** Why the user may not make a move on the board; undefined if they may. */
export function whyNot(): string | undefined {
  const { game, mode, engine, failure, resigned, refused } = page;
  const ending = game.ending(game.path, mode === "play");
  if (mode === "analyse") return ending && outcome(ending);
  if (failure !== undefined) return failure;
  if (engine === undefined) return LOADING;
  if (resigned !== undefined) return `${resigned === "white" ? "White" : "Black"} resigns: ${result()}.`;
  if (ending !== undefined) return outcome(ending);
  if (game.headers.get("Termination") === "time forfeit") return `Out of time: ${result()}.`;
  if (isOver()) return `The game is over: ${result()}.`;
  if (!game.atEnd) return "An earlier position. Go to the end to play on.";
  if (refused !== undefined) return refused;
  return due() === "move" ? "Ibex thinks…" : undefined;
}

/** The end of a game, in words. */
export function outcome({ winner, reason }: Ending): string {
  return winner === undefined ? `A draw: ${reason}.` : `Checkmate: ${winner === "white" ? "White" : "Black"} wins.`;
}
