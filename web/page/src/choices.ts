// What the user has chosen, and what a visit keeps for the next one: the choices and the game.

import { byId, input } from "./dom";
import { Game } from "./game";
import { page } from "./state";
import { recallTab, storeTab } from "./storage";

/** What the user has chosen, kept from visit to visit. */
export const CHOICES = ["colour", "movetime", "elo", "use960", "number960", "multipv", "hash", "letters"];

/** The name of what is kept. */
const STORED = "ibex";
/** A step of the slider of ratings. */
const ELO_STEP = 50;

/** What is kept for a slider of ratings at its end: later versions may end elsewhere. */
const FULL = "full";

/** Whether the slider of ratings stands at its end, which is beyond them. */
export const isFull = (): boolean => Number(input("elo").value) >= Number(input("elo").max);

/** Gives the slider the engine's ratings; its last step is full strength. */
export function setRatings(min: number, max: number): void {
  const slider = input("elo");
  const chosen = slider.value;
  const full = min + ELO_STEP * Math.ceil((max + 1 - min) / ELO_STEP);
  Object.assign(slider, { min: String(min), max: String(full), step: String(ELO_STEP) });
  slider.value = chosen;
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
  const { game, mode, orientation, resigned, expectations } = page;
  const choices = Object.fromEntries(CHOICES.map((id) => [id, choice(input(id))]));
  storeTab(STORED, JSON.stringify({ game: game.save(), mode, orientation, resigned, expectations, choices }));
}

export function restore(): void {
  try {
    const stored = JSON.parse(recallTab(STORED) ?? "null");
    if (stored === null) return;
    for (const id of CHOICES) choose(input(id), stored.choices[id]);
    page.game = Game.restore(stored.game);
    const { mode, orientation, resigned } = stored;
    Object.assign(page, { mode, orientation, resigned });
    page.expectations = stored.expectations.map((value: number | null) => value ?? undefined);
  } catch {
    // What another version has stored is no reason not to begin.
  }
}

/** Sets a field to a choice that was kept. One that this version does not have leaves the field as it is. */
function choose(field: HTMLInputElement, kept: unknown): void {
  if (typeof kept === "boolean") field.checked = kept;
  if (typeof kept !== "string") return;
  const before = field.value;
  const wanted = kept === FULL ? field.max : kept;
  field.value = wanted;
  // A list has nothing chosen then, and a slider goes to one of its ends.
  if (field.value !== wanted) field.value = before;
}
