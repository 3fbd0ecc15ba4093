// The user's choices, and what a visit keeps for the next one: the choices and the game.

import { byId, element, input, select } from "./dom";
import { Game } from "./game";
import { readPgn, writePgn } from "./pgn";
import { page } from "./state";
import { recallTab, storeTab } from "./storage";

/** The user's choices, kept from visit to visit. */
export const CHOICES = ["colour", "movetime", "elo", "use960", "number960", "multipv", "threads", "hash", "letters"];

/** The storage key. */
const STORED = "state";
/** The step of the rating slider. */
const ELO_STEP = 50;

/** The stored value for the rating slider at its end, because later versions may end elsewhere. */
const FULL = "full";

/** Whether the rating slider is at its end, beyond the ratings. */
export const isFull = (): boolean => Number(input("elo").value) >= Number(input("elo").max);

/** Gives the slider the engine's ratings; its last step is full strength. */
export function setRatings(min: number, max: number): void {
  const slider = input("elo");
  const chosen = slider.value;
  const full = min + ELO_STEP * Math.ceil((max + 1 - min) / ELO_STEP);
  Object.assign(slider, { min: String(min), max: String(full), step: String(ELO_STEP) });
  slider.value = chosen;
}

/** The most threads that the page offers, however many processors there are: each has its own memory. */
const MOST_THREADS = 16;

/** Lists how many threads may search: one where the page cannot share memory with workers, half of the processors else. */
export function listThreads(): void {
  const processors = crossOriginIsolated ? Math.min(navigator.hardwareConcurrency || 1, MOST_THREADS) : 1;
  const counts = [1, 2, 3, 4, 6, 8, 12, MOST_THREADS].filter((count) => count < processors);
  select("threads").replaceChildren(...[...counts, processors].map((count) => element("option", {}, String(count))));
  select("threads").value = String(Math.max(1, ...counts.filter((count) => 2 * count <= processors)));
  byId("threads-row").hidden = processors === 1;
}

export function showElo(): void {
  byId("elo-text").textContent = isFull() ? "full" : input("elo").value;
  if (isFull()) input("elo").setAttribute("aria-valuetext", "full strength");
  else input("elo").removeAttribute("aria-valuetext");
}

function choice(field: HTMLInputElement): string | boolean {
  if (field.type === "checkbox") return field.checked;
  return field.id === "elo" && isFull() ? FULL : field.value;
}

export function keep(): void {
  const { game, mode, orientation, resigned, games, chosen } = page;
  const choices = Object.fromEntries(CHOICES.map((id) => [id, choice(input(id))]));
  // The way to the place on the board, by the number of each move among its siblings.
  const here = game.here.line.map((node) => node.parent!.children.indexOf(node));
  const pgn = game.holdsWork ? writePgn(game) : undefined;
  // Many games are too much for the browser's storage.
  const others = games.reduce((size, { text }) => size + text.length, 0) < 500_000 ? { games, chosen } : { games: [], chosen: 0 };
  // A PGN has no place for what the engine would have played.
  const best = [game.root, ...game.mainline].map((node) => node.best[0]);
  storeTab(STORED, JSON.stringify({ pgn, here, best, mode, orientation, resigned, ...others, choices }));
}

export function restore(): void {
  try {
    const stored = JSON.parse(recallTab(STORED) ?? "null");
    if (stored === null) return;
    for (const id of CHOICES) choose(input(id), stored.choices[id]);
    page.game = stored.pgn === undefined ? new Game() : readPgn(stored.pgn).game;
    [page.game.root, ...page.game.mainline].forEach((node, at) => (node.best = [stored.best[at] ?? []].flat()));
    page.game.go(0);
    for (const at of stored.here) page.game.here = page.game.here.children[at] ?? page.game.here;
    const { mode, orientation, resigned, games, chosen } = stored;
    Object.assign(page, { mode, orientation, resigned, games, chosen });
  } catch {
    // Data stored by another version must not prevent the start.
  }
}

/** Sets a field to a stored choice. A choice that this version lacks leaves the field unchanged. */
function choose(field: HTMLInputElement, kept: unknown): void {
  if (typeof kept === "boolean") field.checked = kept;
  if (typeof kept !== "string") return;
  const before = field.value;
  const wanted = kept === FULL ? field.max : kept;
  field.value = wanted;
  // Otherwise a list would have nothing selected, and a slider would go to one of its ends.
  if (field.value !== wanted) field.value = before;
}
