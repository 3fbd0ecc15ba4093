// The actions: moves and searches. Whatever changes the position on the board ends in `changed`.

import type { NormalMove, Role } from "chessops/types";
import { parseSquare, parseUci } from "chessops/util";
import type { Evaluation } from "chessops/pgn";

import { isFull, keep } from "./choices";
import { beginTurn, control, left, press } from "./clock";
import { byId, input, select } from "./dom";
import { Game, type Node } from "./game";
import { judge } from "./review";
import { readPgn, writePgn } from "./pgn";
import { type Colour, due, enginePlays, IBEX, type Mode, page, YOU } from "./state";
import { recall, store } from "./storage";
import { evaluation, type Line } from "./uci";
import { clockRuns, show, showAnalysis, showClocks } from "./view";

/** Time for each position when a whole game is analysed, in milliseconds. */
const WHOLE_GAME = 500;
/** The moves of a better line. */
const BETTER = 6;

/** A man was moved on the board: lets the user choose a promotion, and plays the move. */
export async function moved(from: string, to: string): Promise<void> {
  const move: NormalMove = { from: parseSquare(from)!, to: parseSquare(to)! };
  const pawn = page.game.position().board.getRole(move.from) === "pawn";
  if (pawn && (to[1] === "8" || to[1] === "1")) {
    const path = page.game.path.join();
    const role = await promotion();
    // While a whole game is analysed, the board may show another position by now.
    if (role === undefined || page.game.path.join() !== path) return show();
    move.promotion = role;
  }
  play(move);
}

function promotion(): Promise<Role | undefined> {
  const dialog = byId<HTMLDialogElement>("promotion");
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve((dialog.returnValue || undefined) as Role | undefined), { once: true });
  });
}

/** Plays a move, if it is legal. */
export function play(move: NormalMove, player = YOU): void {
  const legal = page.game.legal(move);
  if (legal === undefined) return show();
  const length = page.game.moves.length;
  const clock = left(page.game, page.game.position().turn, false);
  page.game.play(legal);
  if (page.game.moves.length > length) {
    if (page.mode === "play") press(page.game, clock);
    // A player who plays on has not resigned.
    page.resigned = undefined;
    page.answer = player === IBEX ? page.game.here.san : undefined;
  }
  if (page.mode === "play") sign();
  changed();
}

/** In a game played here, fills in players and date if the tags lack them, and claims a draw. */
function sign(): void {
  const { headers } = page.game;
  const ending = page.game.ending(page.game.moves);
  if (ending !== undefined && ending.winner === undefined) headers.set("Result", "1/2-1/2");
  for (const [tag, colour] of [["White", "white"], ["Black", "black"]] as const) {
    const player = headers.get(tag) ?? "?";
    // The sides may change in the course of a game.
    if (player === "?" || player === YOU || player === IBEX) headers.set(tag, enginePlays(colour) ? IBEX : YOU);
  }
  if (/^[?.]*$/.test(headers.get("Date") ?? "")) {
    const now = new Date();
    const digits = (n: number) => String(n).padStart(2, "0");
    headers.set("Date", `${now.getFullYear()}.${digits(now.getMonth() + 1)}.${digits(now.getDate())}`);
  }
}

/** The position on the board has changed. */
export function changed(): void {
  page.era += 1;
  // A user who moves on the board no longer wants the analysis of the whole game.
  page.wholeGame = false;
  page.lines = [];
  page.refused = undefined;
  for (const id of ["fen-error", "pgn-error", "move-error", "copied"]) byId(id).textContent = "";
  keep();
  show();
  void act();
}

/** Makes the engine do what is due. */
export async function act(): Promise<void> {
  if (page.engine === undefined || page.failure !== undefined) return;
  const task = due();
  if (task === "nothing") return page.engine.stop();
  const now = page.era;
  const current = () => now === page.era;
  const turn = page.game.position().turn;
  const go = task === "move" ? goForMove() : "go infinite";
  const hear = (line: Line) => current() && heard(line, turn);
  const best = await page.engine.search(page.game.command(), go, hear, () => settings(task === "analysis"));
  if (!current()) return;
  if (best === undefined) refuse();
  else if (task === "move") play(parseUci(best) as NormalMove, IBEX);
}

/** The command for a move: by the clock of the game, or by the chosen time. */
function goForMove(): string {
  const limits = control(page.game);
  const times = (["white", "black"] as const).map((colour) => left(page.game, colour, colour === page.game.position().turn));
  const [white, black] = times.map((time) => Math.max(1, Math.round(1000 * (time ?? 0))));
  if (limits === undefined) return `go movetime ${/^\d+$/.test(select("movetime").value) ? select("movetime").value : "1000"}`;
  const increment = 1000 * limits.increment;
  return `go wtime ${white} btime ${black} winc ${increment} binc ${increment}`;
}

/** Ends a game whose clock has run out; called while a clock runs. */
export function checkClock(): void {
  if (!clockRuns()) return;
  const { game } = page;
  const turn = game.position(game.moves).turn;
  if ((left(game, turn, true) ?? 1) > 0) return showClocks();
  const canMate = !game.position(game.moves).hasInsufficientMaterial(turn === "white" ? "black" : "white");
  game.headers.set("Result", !canMate ? "1/2-1/2" : turn === "white" ? "0-1" : "1-0");
  game.headers.set("Termination", "time forfeit");
  changed();
}

/** Notes that the engine does not search the position on the board. */
function refuse(): void {
  page.refused = `Ibex cannot play from here: ${page.engine?.refusal ?? "it finds no move"}.`;
  page.analysing = false;
  page.wholeGame = false;
  keep();
  show();
}

/** Sets the options of a search: those that the user has chosen, or full strength for analysis. */
function settings(analysis: boolean): void {
  const elo = Number(input("elo").value);
  const full = isFull();
  page.engine?.set("Threads", select("threads").value);
  page.engine?.set("Hash", select("hash").value);
  page.engine?.set("UCI_Chess960", true);
  page.engine?.set("UCI_ShowWDL", true);
  page.engine?.set("UCI_AnalyseMode", analysis);
  page.engine?.set("MultiPV", analysis && !page.wholeGame ? select("multipv").value : 1);
  page.engine?.set("UCI_LimitStrength", !analysis && !full);
  if (!full) page.engine?.set("UCI_Elo", elo);
}

/** A line from the search of the position on the board. */
function heard(line: Line, turn: Colour): void {
  if (line.bound !== undefined && page.lines[line.number - 1] !== undefined) return;
  if (line.pv.length === 0) return;
  page.lines[line.number - 1] = line;
  page.lines.length = Math.min(page.lines.length, Number(select("multipv").value));
  const found = line.number === 1 ? evaluation(line, turn) : undefined;
  if (found !== undefined) note(page.game.here, found, line.pv);
  showAnalysis();
}

/** Notes an evaluation, unless there is a deeper one, from a file or from before. A proved mate counts at any depth. */
function note(node: Node, found: Evaluation, pv: string[]): void {
  if (!("mate" in found) && (node.evaluation?.depth ?? 0) > (found.depth ?? 0)) return;
  node.evaluation = found;
  node.best = pv;
}

/** Searches every position of the game briefly, and marks the moves that lose chances. */
export async function analyseWhole(): Promise<void> {
  if (page.engine === undefined || page.failure !== undefined) return;
  page.wholeGame = !page.wholeGame;
  page.analysing = false;
  page.era += 1;
  const now = page.era;
  show();
  await page.engine.stop();
  const begin = Date.now();
  for (let ply = 0; page.wholeGame && now === page.era && ply <= page.game.moves.length; ply++) {
    page.game.go(ply);
    page.lines = [];
    const [done, all] = [ply, page.game.moves.length + 1];
    const left = Math.ceil(((done === 0 ? WHOLE_GAME : (Date.now() - begin) / done) * (all - done)) / 1000);
    page.progress = `Position ${done + 1} of ${all}, ${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`;
    show();
    const turn = page.game.position().turn;
    if (page.game.ending(page.game.path, false) !== undefined) continue;
    const hear = (line: Line) => now === page.era && heard(line, turn);
    const best = await page.engine.search(page.game.command(), `go movetime ${WHOLE_GAME}`, hear, () => settings(true));
    if (now === page.era && best === undefined) return refuse();
  }
  if (now === page.era) {
    page.wholeGame = false;
    markMoves();
    keep();
    show();
  }
}

/** Gives the moves that lose chances their glyphs, and the better lines as variations, unless the file has some. */
function markMoves(): void {
  for (const { node, mark } of judge(page.game)) {
    if (mark === undefined) continue;
    if (!node.glyphs.some((glyph) => glyph <= 6)) node.glyphs.push(mark.glyph);
    const before = node.parent!;
    if (before.children.length > 1) continue;
    const here = page.game.here;
    page.game.here = before;
    page.game.explore(before.best.slice(0, BETTER));
    page.game.here = here;
  }
}

/** Whether the switch was left on: a position is then analysed as soon as it is shown. */
const wantsAnalysis = (): boolean => recall("analysis") !== "off";

/** Switches the analysis of the position on the board on or off. */
export function toggleAnalysis(): void {
  if (page.failure !== undefined) return;
  page.wholeGame = false;
  page.analysing = !page.analysing;
  store("analysis", page.analysing ? "on" : "off");
  // The results stay on the page when the analysis ends.
  if (page.analysing) return changed();
  page.era += 1;
  keep();
  show();
  void act();
}

export function setMode(next: Mode): void {
  // A running search goes on.
  if (next === page.mode) return;
  page.mode = next;
  // A game cannot be played in a variation.
  if (page.mode === "play" && page.game.inVariation) page.game.leave();
  page.analysing = next === "analyse" && wantsAnalysis();
  page.wholeGame = false;
  // No clock has run meanwhile.
  beginTurn();
  changed();
}

/** Replaces the game by another one. */
export function newGame(next: Game): void {
  page.game = next;
  page.resigned = page.answer = undefined;
  page.wholeGame = false;
  page.games = [];
  page.chosen = 0;
  // A remark referred to the previous game.
  byId("remark").textContent = "";
  if (page.mode === "play") page.orientation = select("colour").value === "black" ? "black" : "white";
  page.engine?.newGame();
  beginTurn();
  changed();
}

/** Shows a game played elsewhere. */
export function setUp(next: Game): void {
  page.mode = "analyse";
  page.analysing = wantsAnalysis();
  newGame(next);
}

export function takeBack(): void {
  page.resigned = page.answer = undefined;
  // The engine's answer is taken back together with the move that it answers.
  const human = select("colour").value;
  const turn = page.game.position(page.game.moves).turn;
  page.game.takeBack(page.mode === "play" && human === turn ? 2 : 1);
  beginTurn();
  changed();
}

/** Goes to the position after a number of moves. */
export function goTo(ply: number): void {
  page.game.go(ply);
  changed();
}

/** Goes to the position after a move of the tree. */
export function goToNode(node: Node): void {
  page.game.here = node;
  changed();
}

/**
 * Shows another game of the loaded text; what was done to the one on the page stays in the list. Throws an error if the
 * game cannot be read; the page then stays as it is.
 */
export function choose(index: number): void {
  const { games, game, chosen } = page;
  const { game: next, remark } = readPgn(games[index]!.text);
  games[chosen]!.text = writePgn(game);
  setUp(next);
  Object.assign(page, { games, chosen: index });
  byId("remark").textContent = remark;
  keep();
  show();
}
