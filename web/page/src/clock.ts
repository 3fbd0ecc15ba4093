// The clocks of a game played here. The time control is a tag of the game, and each move keeps the time that was left
// after it, so a move taken back gives its time back, and a saved game has its clocks.

import type { Game } from "./game";
import type { Colour } from "./state";

/** A time control: seconds at first, and for each move. */
export interface Control {
  base: number;
  increment: number;
}

/** The time control of a game, if it has one that a clock can show. */
export function control(game: Game): Control | undefined {
  const match = /^(\d+)(?:\+(\d+))?$/.exec(game.headers.get("TimeControl") ?? "");
  return match === null ? undefined : { base: Number(match[1]), increment: Number(match[2] ?? 0) };
}

/** When the side to move began to think, in milliseconds. */
let began = Date.now();

/** The side to move begins to think now. */
export function beginTurn(): void {
  began = Date.now();
}

/** Seconds left on a side's clock after the last move of the game; `thinking` takes off the time since then. */
export function left(game: Game, colour: Colour, thinking: boolean): number | undefined {
  const limits = control(game);
  if (limits === undefined) return undefined;
  const line = game.mainline;
  const first: Colour = game.start.split(" ")[1] === "b" ? "black" : "white";
  const last = line.filter((_, at) => (at % 2 === 0) === (colour === first)).at(-1);
  const before = last === undefined ? limits.base : (last.clock ?? limits.base);
  return thinking ? before - (Date.now() - began) / 1000 : before;
}

/** Stops the clock of the side that has just made the last move of the game, and starts the other one. */
export function press(game: Game, before: number | undefined): void {
  const limits = control(game);
  const last = game.mainline.at(-1);
  if (limits !== undefined && last !== undefined && before !== undefined) {
    // No clock runs before the first move.
    const spent = game.root.children[0] === last ? 0 : (Date.now() - began) / 1000;
    last.clock = Math.max(0, Math.round(10 * (before - spent)) / 10) + limits.increment;
  }
  beginTurn();
}

/** Time as on a clock: `4:05`, and tenths in the last seconds: `0:09.3`. */
export function clockText(seconds: number): string {
  const tenths = Math.max(0, Math.round(10 * seconds));
  const [whole, rest] = [Math.floor(tenths / 10), tenths % 10];
  const text = `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  return tenths < 200 ? `${text}.${rest}` : text;
}
