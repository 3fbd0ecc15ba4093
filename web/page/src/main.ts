// The page: what the buttons do, and what is shown.

import "@lichess-org/chessground/assets/chessground.base.css";
import "@lichess-org/chessground/assets/chessground.brown.css";
import "@lichess-org/chessground/assets/chessground.cburnett.css";
import "./style.css";

import { Chessground } from "@lichess-org/chessground";
import type { DrawShape } from "@lichess-org/chessground/draw";
import type { Key } from "@lichess-org/chessground/types";
import { chessgroundMove } from "chessops/compat";
import { INITIAL_FEN, makeFen } from "chessops/fen";
import type { NormalMove, Role } from "chessops/types";
import { parseSquare, parseUci } from "chessops/util";

import { Searcher } from "./engine";
import { type Ending, Game } from "./game";
import { drawGraph } from "./graph";
import { isolate } from "./offline";
import { decode, leftOut, readPgn, writePgn } from "./pgn";
import { chess960, namesFiles, positionOf, variationSans } from "./position";
import { recall, recallTab, store, storeTab } from "./storage";
import { expectation, type Line, scoreText, statement } from "./uci";

type Colour = "white" | "black";

const byId = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;
const button = (id: string) => byId<HTMLButtonElement>(id);
const input = (id: string) => byId<HTMLInputElement>(id);
const select = (id: string) => byId<HTMLSelectElement>(id);

const STORED = "ibex";
/** Time for each position when a whole game is analysed, in milliseconds. */
const WHOLE_GAME = 500;
/** A step of the slider of ratings. */
const ELO_STEP = 50;
/** What the user has chosen, kept from visit to visit. */
const CHOICES = ["colour", "movetime", "elo", "use960", "number960", "multipv", "hash", "letters"];
/** The players of a game that is played here. */
const YOU = "You";
const IBEX = "Ibex";
/** What the status says before there is an engine. */
const LOADING = "Loading the engine…";
/** What is kept for a slider of ratings at its end: later versions may end elsewhere. */
const FULL = "full";

let game = new Game();
let mode: "play" | "analyse" = "play";
let orientation: Colour = "white";
/** Set in a game that was given up. */
let resigned: Colour | undefined;
/** The last move, where Ibex has made it here. */
let answer: string | undefined;
/** Why Ibex does not search the position on the board, for the user. */
let refused: string | undefined;
/** Whether the user wants analysis. */
let analysing = false;
let wholeGame = false;
/** The lines of the position on the board. */
let lines: Line[] = [];
/** White's expectation after each number of moves of the game. */
let expectations: (number | undefined)[] = [];
let engine: Searcher | undefined;
/** Why there is no engine, for the user. */
let failure: string | undefined;
/** Counts what makes a search out of date. */
let era = 0;

const ground = Chessground(byId("board"), {
  animation: { duration: 150 },
  movable: { free: false, showDests: true, rookCastle: true, events: { after: (from, to) => void moved(from, to) } },
  draggable: { showGhost: true },
  premovable: { enabled: false },
  drawable: { enabled: true },
});

/** The engine's colours in play. */
function enginePlays(colour: Colour): boolean {
  return mode === "play" && select("colour").value !== colour;
}

function isOver(): boolean {
  return result() !== "*";
}

async function moved(from: string, to: string): Promise<void> {
  const move: NormalMove = { from: parseSquare(from)!, to: parseSquare(to)! };
  const pawn = game.position().board.getRole(move.from) === "pawn";
  if (pawn && (to[1] === "8" || to[1] === "1")) {
    const path = game.path.join();
    const role = await promotion();
    // While a whole game is analysed, another position may be on the board by now.
    if (role === undefined || game.path.join() !== path) return show();
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

function play(move: NormalMove, player = YOU): void {
  const legal = game.legal(move);
  if (legal === undefined) return show();
  const length = game.moves.length;
  game.play(legal);
  if (game.moves.length > length) {
    // Who plays on has not given up.
    resigned = undefined;
    answer = player === IBEX ? game.sans().at(-1) : undefined;
  }
  if (mode === "play") sign();
  changed();
}

/** Writes into a game that is played here who plays and when, where its tags do not say. */
function sign(): void {
  const { headers } = game;
  for (const [tag, colour] of [["White", "white"], ["Black", "black"]] as const) {
    const player = headers.get(tag) ?? "?";
    // The sides may be changed in the course of a game.
    if (player === "?" || player === YOU || player === IBEX) headers.set(tag, enginePlays(colour) ? IBEX : YOU);
  }
  if (/^[?.]*$/.test(headers.get("Date") ?? "")) {
    const now = new Date();
    const digits = (n: number) => String(n).padStart(2, "0");
    headers.set("Date", `${now.getFullYear()}.${digits(now.getMonth() + 1)}.${digits(now.getDate())}`);
  }
}

/** The position on the board is another one. */
function changed(): void {
  era += 1;
  // Whoever moves on the board has seen enough of the whole game.
  wholeGame = false;
  lines = [];
  refused = undefined;
  for (const id of ["fen-error", "pgn-error", "move-error", "copied"]) byId(id).textContent = "";
  keep();
  show();
  void act();
}

/** What the engine has to do with the position on the board. */
function due(): "move" | "analysis" | "nothing" {
  if (mode === "analyse") return analysing && game.ending(game.path, false) === undefined ? "analysis" : "nothing";
  return game.atEnd && !isOver() && enginePlays(game.position().turn) ? "move" : "nothing";
}

/** Has the engine do what is due. */
async function act(): Promise<void> {
  if (engine === undefined || failure !== undefined) return;
  const task = due();
  if (task === "nothing") return engine.stop();
  const now = era;
  const current = () => now === era;
  const turn = game.position().turn;
  const go = task === "move" ? `go movetime ${select("movetime").value}` : "go infinite";
  const hear = (line: Line) => current() && heard(line, turn);
  const best = await engine.search(game.command(), go, hear, () => settings(task === "analysis"));
  if (!current()) return;
  if (best === undefined) refuse();
  else if (task === "move") play(parseUci(best) as NormalMove, IBEX);
}

/** Takes note that the engine does not search the position on the board. */
function refuse(): void {
  refused = `Ibex does not play from here: ${engine?.refusal ?? "it finds no move"}.`;
  analysing = false;
  wholeGame = false;
  keep();
  show();
}

function settings(analysis: boolean): void {
  const elo = Number(input("elo").value);
  const full = isFull();
  engine?.set("Hash", select("hash").value);
  engine?.set("UCI_Chess960", true);
  engine?.set("UCI_ShowWDL", true);
  engine?.set("UCI_AnalyseMode", analysis);
  engine?.set("MultiPV", analysis && !wholeGame ? select("multipv").value : 1);
  engine?.set("UCI_LimitStrength", !analysis && !full);
  if (!full) engine?.set("UCI_Elo", elo);
}

/** A line of the search of the position on the board. */
function heard(line: Line, turn: Colour): void {
  if (line.bound !== undefined && lines[line.number - 1] !== undefined) return;
  if (line.pv.length === 0) return;
  lines[line.number - 1] = line;
  lines.length = Math.min(lines.length, Number(select("multipv").value));
  if (line.number === 1 && !game.inVariation) expectations[game.ply] = expectation(line, turn);
  showAnalysis();
}

/** Searches every position of the game for a moment. */
async function analyseWhole(): Promise<void> {
  if (engine === undefined || failure !== undefined) return;
  wholeGame = !wholeGame;
  analysing = false;
  era += 1;
  const now = era;
  show();
  await engine.stop();
  for (let ply = 0; wholeGame && now === era && ply <= game.moves.length; ply++) {
    game.go(ply);
    lines = [];
    show();
    const turn = game.position().turn;
    if (game.ending(game.path, false) !== undefined) continue;
    const hear = (line: Line) => now === era && heard(line, turn);
    const best = await engine.search(game.command(), `go movetime ${WHOLE_GAME}`, hear, () => settings(true));
    if (now === era && best === undefined) return refuse();
  }
  if (now === era) {
    wholeGame = false;
    keep();
    show();
  }
}

function setMode(next: "play" | "analyse"): void {
  // What runs there goes on.
  if (next === mode) return;
  mode = next;
  // No game is played in a variation.
  if (mode === "play" && game.inVariation) game.go(game.ply);
  analysing = false;
  wholeGame = false;
  changed();
}

function newGame(next: Game): void {
  game = next;
  resigned = answer = undefined;
  wholeGame = false;
  expectations = [];
  // A remark was about the game before.
  byId("remark").textContent = "";
  if (mode === "play") orientation = select("colour").value === "black" ? "black" : "white";
  engine?.newGame();
  changed();
}

function start(): Game {
  const number = Math.max(0, Math.min(959, Math.round(input("number960").valueAsNumber || 0)));
  input("number960").value = String(number);
  return input("use960").checked ? new Game(chess960(number), true) : new Game(INITIAL_FEN);
}

function result(): string {
  if (resigned !== undefined) return resigned === "white" ? "0-1" : "1-0";
  return game.result();
}

/** Why the user may not make a move on the board; undefined if they may. */
function whyNot(): string | undefined {
  const ending = game.ending(game.path, mode === "play");
  if (mode === "analyse") return ending && outcome(ending);
  if (failure !== undefined) return failure;
  if (engine === undefined) return LOADING;
  if (resigned !== undefined) return `${resigned === "white" ? "White" : "Black"} resigns: ${result()}.`;
  if (ending !== undefined) return outcome(ending);
  if (isOver()) return `The game is over: ${result()}.`;
  if (!game.atEnd) return "An earlier position. Go to the end to play on.";
  if (refused !== undefined) return refused;
  return due() === "move" ? "Ibex thinks…" : undefined;
}

/** How a game has ended, in words. */
function outcome({ winner, reason }: Ending): string {
  return winner === undefined ? `A draw: ${reason}.` : `Checkmate: ${winner === "white" ? "White" : "Black"} wins.`;
}

// What is shown.

function show(): void {
  const position = game.position();
  const turn = position.turn;
  const may = whyNot() === undefined;
  const last = game.last();
  byId("board").setAttribute("aria-label", game.description());
  ground.set({
    fen: game.fen(),
    orientation,
    turnColor: turn,
    check: position.isCheck() ? turn : false,
    lastMove: last === undefined ? [] : (chessgroundMove(parseUci(last)!) as Key[]),
    movable: { color: may ? turn : undefined, dests: may ? (game.dests() as Map<Key, Key[]>) : new Map() },
  });
  for (const name of ["play", "analyse"]) {
    byId(`panel-${name}`).hidden = name !== mode;
    button(`tab-${name}`).setAttribute("aria-pressed", String(name === mode));
  }
  const told = status(turn);
  // What has not changed is not read aloud again.
  if (byId("status").textContent !== told) byId("status").textContent = told;
  const name = (colour: Colour) => {
    if (mode === "play") return enginePlays(colour) ? IBEX : YOU;
    const side = colour === "white" ? "White" : "Black";
    const player = game.headers.get(side) ?? "?";
    return player === "?" ? side : player;
  };
  byId("bottom-name").textContent = name(orientation);
  byId("top-name").textContent = name(orientation === "white" ? "black" : "white");
  button("analyse").textContent = analysing ? "Stop" : "Start";
  button("analyse").setAttribute("aria-pressed", String(analysing));
  button("whole").textContent = wholeGame ? "Stop" : "Whole game";
  button("analyse").disabled = failure !== undefined;
  button("whole").disabled = game.moves.length === 0 || engine === undefined || failure !== undefined;
  button("take-back").disabled = game.moves.length === 0;
  button("resign").disabled = isOver() || select("colour").value === "none";
  button("first").disabled = button("back").disabled = game.path.length === 0;
  button("forward").disabled = button("end").disabled = game.inVariation || game.atEnd;
  // What is wrong stays in the field, so that it can be mended.
  if (document.activeElement !== byId("fen") && byId("fen-error").textContent === "") input("fen").value = game.fen();
  showMoves();
  showAnalysis();
}

function status(turn: Colour): string {
  const side = turn === "white" ? "White" : "Black";
  if (failure !== undefined) return failure;
  if (engine === undefined) return LOADING;
  // Not the positions, which come and go faster than they can be read aloud.
  if (wholeGame) return "Analysing the game…";
  const obstacle = whyNot() ?? refused;
  if (obstacle !== undefined) return obstacle;
  if (mode === "play") return `Your move: ${side}.${answer === undefined ? "" : ` Ibex has played ${answer}.`}`;
  // A draw that could be claimed ends no analysis.
  const ending = game.ending();
  return ending === undefined ? `${side} to move.` : outcome(ending);
}

function showMoves(): void {
  const start = positionOf(game.start);
  const list = byId("moves");
  // The keyboard stays on its move, though the list is built anew.
  const focused = [...list.children].indexOf(document.activeElement!);
  list.replaceChildren();
  let white = start.turn === "white";
  let number = start.fullmoves;
  game.sans().forEach((san, at) => {
    if (white || at === 0) {
      const label = document.createElement("span");
      label.textContent = white ? `${number}.` : `${number}…`;
      list.append(label);
    }
    const move = document.createElement("button");
    move.textContent = san;
    move.className = at + 1 === game.ply ? "quiet here" : "quiet";
    if (at + 1 === game.ply) move.setAttribute("aria-current", "true");
    move.onclick = () => goTo(at + 1);
    list.append(move);
    if (!white) number += 1;
    white = !white;
  });
  if (focused >= 0) (list.children[focused] as HTMLElement | undefined)?.focus({ preventScroll: true });
  const here = list.querySelector<HTMLElement>(".here");
  if (here !== null) list.scrollTop = here.offsetTop - list.offsetTop - list.clientHeight / 2;
  const variation = byId("variation");
  variation.hidden = !game.inVariation;
  const from = game.position(game.moves.slice(0, game.ply));
  variation.firstElementChild!.textContent = variationSans(from, game.variation).map(({ san }) => san).join(" ");
}

function showAnalysis(): void {
  const position = game.position();
  const list = byId("lines");
  const shown = mode === "analyse" ? lines.filter((line) => line !== undefined) : [];
  // A new line must not take a move away from under the pointer or the keyboard.
  const inUse = list.matches(":active") || list.contains(document.activeElement);
  if (shown.length === 0 || !inUse) list.replaceChildren(...shown.map((line) => lineItem(line, position)));
  const first = shown[0];
  const wdl = first?.wdl;
  const chances = wdl === undefined ? [0, 0, 0] : position.turn === "white" ? wdl : [...wdl].reverse();
  const bar = byId("wdl");
  bar.classList.toggle("empty", wdl === undefined);
  [...bar.children].forEach((part, at) => {
    const share = (chances[at] ?? 0) / 10;
    (part as HTMLElement).style.width = `${share}%`;
    part.textContent = share >= 12 ? `${Math.round(share)}%` : "";
  });
  const [white, draw, black] = chances.map((chance) => `${Math.round(chance / 10)}%`);
  label(bar, wdl === undefined ? "Chances of White, draw, Black" : `White ${white}, draw ${draw}, Black ${black}`);
  byId("speed").textContent =
    first === undefined
      ? ""
      : `depth ${first.depth} · ${amount(first.nodes)} nodes · ${amount(first.nps)}/s · hash ${Math.round(first.hashfull / 10)}%`;
  const shapes: DrawShape[] = shown.map((line, at) => arrow(line.pv[0]!, at === 0 ? "green" : "paleBlue")).reverse();
  ground.setAutoShapes(shapes);
  const values = Array.from({ length: game.moves.length + 1 }, (_, ply) => expectations[ply]);
  const graph = document.getElementById("graph") as unknown as SVGSVGElement;
  // During a game what Ibex expects is its secret, as its lines are.
  const isSecret = mode === "play" && !isOver();
  graph.classList.toggle("empty", isSecret || !values.some((value) => value !== undefined));
  drawGraph(graph, values, game.ply, goTo);
  const here = expectations[game.ply];
  label(graph, `Expectation of White over the game${here === undefined ? "" : `, here ${Math.round(100 * here)}%`}`);
}

/** Says what a picture shows. */
function label(picture: Element, text: string): void {
  if (picture.getAttribute("aria-label") !== text) picture.setAttribute("aria-label", text);
}

function lineItem(line: Line, position: ReturnType<Game["position"]>): HTMLLIElement {
  const item = document.createElement("li");
  const score = document.createElement("b");
  score.textContent = scoreText(line, position.turn);
  const kind = document.createElement("em");
  kind.textContent = statement(line);
  kind.className = statement(line).replace(" ", "-");
  const moves = document.createElement("span");
  const path = game.path;
  variationSans(position, line.pv).forEach(({ san }, at) => {
    const move = document.createElement("button");
    move.className = "quiet";
    move.textContent = san;
    // The line is one stop of the Tab key; the arrows go through its moves.
    move.tabIndex = at === 0 ? 0 : -1;
    move.onclick = () => {
      // Another position may be on the board by now.
      if (game.path.join() !== path.join()) return;
      game.explore(line.pv.slice(0, at + 1));
      changed();
    };
    moves.append(move, " ");
  });
  moves.onkeydown = (event) => {
    const next = { ArrowLeft: "previousElementSibling", ArrowRight: "nextElementSibling" } as const;
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    // They are keys of the page as well, for the game.
    event.stopPropagation();
    const from = event.target as HTMLElement;
    const to = from[next[event.key]] as HTMLElement | null;
    if (to === null) return;
    from.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  };
  item.append(score, kind, moves);
  return item;
}

function arrow(uci: string, brush: string): DrawShape {
  const [from, to] = chessgroundMove(parseUci(uci)!);
  return { orig: from as Key, dest: to as Key, brush };
}

const amount = (n: number): string => (n >= 1e6 ? `${(n / 1e6).toFixed(1)}M` : n >= 1e3 ? `${Math.round(n / 1e3)}k` : String(n));

function goTo(ply: number): void {
  wholeGame = false;
  game.go(ply);
  changed();
}

function choice(field: HTMLInputElement): string | boolean {
  if (field.type === "checkbox") return field.checked;
  return field.id === "elo" && isFull() ? FULL : field.value;
}

function keep(): void {
  const choices = Object.fromEntries(CHOICES.map((id) => [id, choice(input(id))]));
  storeTab(STORED, JSON.stringify({ game: game.save(), mode, orientation, resigned, expectations, choices }));
}

function restore(): void {
  try {
    const stored = JSON.parse(recallTab(STORED) ?? "null");
    if (stored === null) return;
    for (const id of CHOICES) choose(input(id), stored.choices[id]);
    game = Game.restore(stored.game);
    ({ mode, orientation, resigned } = stored);
    expectations = stored.expectations.map((value: number | null) => value ?? undefined);
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

// What the user does.

function report(id: string, attempt: () => void): void {
  const place = byId(id);
  place.textContent = "";
  try {
    attempt();
  } catch (error) {
    place.textContent = error instanceof Error ? error.message : String(error);
  }
}

/** Makes the move that was typed. */
function typed(): void {
  const text = input("move").value.trim();
  if (text === "") return;
  if (game.lacksPromotion(text)) throw new Error("Add what the pawn becomes: q, r, b or n.");
  const move = game.parse(text);
  if (move === undefined) throw new Error(`'${text}' is no move here.`);
  const obstacle = whyNot();
  if (obstacle !== undefined) throw new Error(obstacle);
  if (game.legal(move) === undefined) throw new Error(`'${text}' is not legal here.`);
  input("move").value = "";
  play(move);
}

/** Loads the first game of a PGN, and says what else there was. */
function loadPgn(text: string): void {
  setUp(readPgn(text));
  byId("remark").textContent = leftOut(text);
}

function setUp(next: Game): void {
  mode = "analyse";
  analysing = false;
  newGame(next);
}

function takeBack(): void {
  resigned = answer = undefined;
  // The engine's answer goes with the move that it answers.
  const human = select("colour").value;
  const turn = game.position(game.moves).turn;
  game.takeBack(mode === "play" && human === turn ? 2 : 1);
  expectations.length = Math.min(expectations.length, game.moves.length + 1);
  changed();
}

function toggleAnalysis(): void {
  if (failure !== undefined) return;
  wholeGame = false;
  analysing = !analysing;
  // What was found stays on the page when the analysis ends.
  if (analysing) return changed();
  era += 1;
  keep();
  show();
  void act();
}

/** Whether the slider of ratings stands at its end, which is beyond them. */
const isFull = (): boolean => Number(input("elo").value) >= Number(input("elo").max);

function showElo(): void {
  byId("elo-text").textContent = isFull() ? "full" : input("elo").value;
  if (isFull()) input("elo").setAttribute("aria-valuetext", "full strength");
  else input("elo").removeAttribute("aria-valuetext");
}

function setTheme(theme: string | null): void {
  if (theme === null) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function listen(): void {
  const click = (id: string, action: () => void) => (button(id).onclick = action);
  click("tab-play", () => setMode("play"));
  click("tab-analyse", () => setMode("analyse"));
  click("first", () => goTo(0));
  click("back", () => (game.back(), changed()));
  click("forward", () => (game.forward(), changed()));
  click("end", () => goTo(game.moves.length));
  click("leave", () => goTo(game.ply));
  click("flip", () => ((orientation = orientation === "white" ? "black" : "white"), keep(), show()));
  click("new-game", () => newGame(start()));
  click("take-back", takeBack);
  click("resign", () => ((resigned = select("colour").value as Colour), changed()));
  click("analyse", toggleAnalysis);
  click("whole", () => void analyseWhole());
  click("random960", () => {
    input("number960").value = String(Math.floor(Math.random() * 960));
    input("use960").checked = true;
    keep();
  });
  click("set-fen", () => report("fen-error", () => setUp(readFen(input("fen").value))));
  click("copy-fen", () => void copy(game.fen(), "fen"));
  click("load-pgn", () => report("pgn-error", () => loadPgn(byId<HTMLTextAreaElement>("pgn").value)));
  click("copy-pgn", () => void copy(writePgn(game, result()), "pgn"));
  click("save-pgn", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([writePgn(game, result())], { type: "application/x-chess-pgn" }));
    link.download = "game.pgn";
    link.click();
    // Not at once: some browsers begin to save later.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  });
  click("theme", () => {
    const dark = getComputedStyle(document.documentElement).colorScheme.trim() === "dark";
    store("theme", dark ? "light" : "dark");
    setTheme(dark ? "light" : "dark");
  });
  byId("move-form").onsubmit = (event) => {
    event.preventDefault();
    report("move-error", typed);
  };
  input("fen").onkeydown = (event) => event.key === "Enter" && button("set-fen").click();
  input("pgn-file").onchange = async () => {
    const bytes = await input("pgn-file").files?.[0]?.arrayBuffer();
    if (bytes !== undefined) report("pgn-error", () => loadPgn(decode(bytes)));
    input("pgn-file").value = "";
  };
  input("elo").oninput = showElo;
  for (const id of CHOICES) input(id).addEventListener("change", () => (keep(), show(), void choicesChanged(id)));
  document.addEventListener("keydown", keys);
  // A touch beside the question leaves it, as Escape does.
  const dialog = byId<HTMLDialogElement>("promotion");
  dialog.onclick = (event) => {
    if (event.target === dialog) dialog.close();
  };
}

/**
 * A new colour takes over at once, and so do other lines and another hash in an analysis. Time and strength are those
 * of the next search.
 */
function choicesChanged(id: string): void {
  if (id === "elo") showElo();
  // What the browser has said of the memory was about the choice before.
  if (id === "hash") byId("remark").textContent = "";
  if (id === "colour" && select("colour").value !== "none") orientation = select("colour").value as Colour;
  if (id === "colour" || ((id === "multipv" || id === "hash") && analysing)) changed();
}

/** Copies a text. Where the browser does not allow that, as without HTTPS, the text stands selected in a field instead. */
async function copy(text: string, field: "fen" | "pgn"): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    byId("copied").textContent = `The ${field.toUpperCase()} is copied.`;
  } catch {
    const place = byId<HTMLInputElement | HTMLTextAreaElement>(field);
    place.value = text;
    place.select();
    byId(`${field}-error`).textContent = "This browser does not copy here: the text is selected.";
  }
}

function readFen(text: string): Game {
  // As the engine reads it: some addresses have underscores for blanks. Castling rights by files are those of Chess960.
  return new Game(makeFen(positionOf(text).toSetup()), namesFiles(text));
}

function keys(event: KeyboardEvent): void {
  // An open question is answered first.
  if (document.querySelector("dialog[open]") !== null) return;
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
  const actions: Record<string, string> = {
    ArrowLeft: "back",
    ArrowRight: "forward",
    Home: "first",
    End: "end",
    f: "flip",
    n: "new-game",
    z: "take-back",
  };
  // Speech input, and fingers that slip, press letters that nobody means.
  if (/^[a-z]$/i.test(event.key) && !input("letters").checked) return;
  // With caps lock a letter is a capital.
  const id = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  // In analysis there is no button for it.
  if (id === "take-back" && mode !== "play") return;
  if (id !== undefined) {
    event.preventDefault();
    // A key is pressed by mistake more easily than a button, and the game would be gone.
    const asks = id === "new-game" && game.holdsWork && (mode === "analyse" || result() === "*");
    if (!asks || confirm("Leave this game and begin a new one?")) button(id).click();
  } else if (event.key === " " && mode === "analyse" && target.tagName !== "BUTTON" && target.tagName !== "SUMMARY") {
    event.preventDefault();
    toggleAnalysis();
  }
}

async function begin(): Promise<void> {
  setTheme(recall("theme"));
  listen();
  restore();
  show();
  if (await isolate()) return;
  try {
    engine = await Searcher.load();
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    failure = `The engine cannot be loaded: ${reason}. Reload the page to try again.`;
    return show();
  }
  engine.onfailure = (reason) => {
    failure = `The engine cannot run here: ${reason}. Reload the page to try again; less hash may help.`;
    analysing = false;
    wholeGame = false;
    era += 1;
    show();
  };
  engine.onremark = (text) => (byId("remark").textContent = text);
  byId("about").textContent = `${engine.name}, free software under the GNU GPL. It runs in this page; nothing leaves it.`;
  const elo = engine.spins.get("UCI_Elo");
  if (elo !== undefined) {
    const slider = input("elo");
    const chosen = slider.value;
    // The last step is full strength, which is beyond the engine's ratings.
    const full = elo.min + ELO_STEP * Math.ceil((elo.max + 1 - elo.min) / ELO_STEP);
    Object.assign(slider, { min: String(elo.min), max: String(full), step: String(ELO_STEP) });
    slider.value = chosen;
  }
  showElo();
  show();
  void act();
}

void begin();
