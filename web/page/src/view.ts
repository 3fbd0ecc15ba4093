// The display: the board, the moves, and the engine's lines for the position.

import { Chessground } from "@lichess-org/chessground";
import type { DrawShape } from "@lichess-org/chessground/draw";
import type { Key } from "@lichess-org/chessground/types";
import { chessgroundMove } from "chessops/compat";
import { parseUci } from "chessops/util";

import { amount, button, byId, input, label, select } from "./dom";
import type { Game } from "./game";
import { drawGraph } from "./graph";
import { writePgn } from "./pgn";
import { positionOf, variationSans } from "./position";
import { type Colour, enginePlays, IBEX, isOver, LOADING, outcome, page, result, whyNot, YOU } from "./state";
import { type Line, scoreText, statement } from "./uci";

/** The events of the board and the lists; `main.ts` handles them. */
export const on = {
  /** A man was moved on the board. */
  move: (_from: string, _to: string): void => {},
  /** A move of the game was selected. */
  ply: (_ply: number): void => {},
  /** The beginning of a line was selected. */
  line: (_moves: string[]): void => {},
};

const ground = Chessground(byId("board"), {
  animation: { duration: 150 },
  movable: { free: false, showDests: true, rookCastle: true, events: { after: (from, to) => on.move(from, to) } },
  draggable: { showGhost: true },
  premovable: { enabled: false },
  drawable: { enabled: true },
});

export function show(): void {
  const { game } = page;
  const position = game.position();
  const turn = position.turn;
  const may = whyNot() === undefined;
  const last = game.last();
  byId("board").setAttribute("aria-label", game.description());
  ground.set({
    fen: game.fen(),
    orientation: page.orientation,
    turnColor: turn,
    check: position.isCheck() ? turn : false,
    lastMove: last === undefined ? [] : (chessgroundMove(parseUci(last)!) as Key[]),
    movable: { color: may ? turn : undefined, dests: may ? (game.dests() as Map<Key, Key[]>) : new Map() },
  });
  for (const name of ["play", "analyse"]) {
    byId(`panel-${name}`).hidden = name !== page.mode;
    button(`tab-${name}`).setAttribute("aria-pressed", String(name === page.mode));
  }
  const told = status(turn);
  // Unchanged text is not read aloud again.
  if (byId("status").textContent !== told) byId("status").textContent = told;
  const name = (colour: Colour) => {
    if (page.mode === "play") return enginePlays(colour) ? IBEX : YOU;
    const side = colour === "white" ? "White" : "Black";
    const player = game.headers.get(side) ?? "?";
    return player === "?" ? side : player;
  };
  byId("bottom-name").textContent = name(page.orientation);
  byId("top-name").textContent = name(page.orientation === "white" ? "black" : "white");
  button("analyse").textContent = page.analysing ? "Stop" : "Start";
  button("analyse").setAttribute("aria-pressed", String(page.analysing));
  button("whole").textContent = page.wholeGame ? "Stop" : "Whole game";
  button("analyse").disabled = page.failure !== undefined;
  button("whole").disabled = game.moves.length === 0 || page.engine === undefined || page.failure !== undefined;
  button("take-back").disabled = game.moves.length === 0;
  button("resign").disabled = isOver() || select("colour").value === "none";
  button("first").disabled = button("back").disabled = game.path.length === 0;
  button("forward").disabled = button("end").disabled = game.inVariation || game.atEnd;
  // Invalid input stays in the field, so that it can be corrected.
  if (document.activeElement !== byId("fen") && byId("fen-error").textContent === "") input("fen").value = game.fen();
  showPgn();
  showMoves();
  showAnalysis();
}

/** The PGN that the page has put into the field. What the user has typed there stays until it is loaded. */
let shownPgn = "";

function showPgn(): void {
  const field = byId<HTMLTextAreaElement>("pgn");
  if (field.value !== shownPgn || document.activeElement === field || byId("pgn-error").textContent !== "") return;
  field.value = writePgn(page.game, result());
  // The browser may change line ends.
  shownPgn = field.value;
}

/** The user's text in the field has been loaded: the page may write there again. */
export function pgnLoaded(): void {
  shownPgn = byId<HTMLTextAreaElement>("pgn").value;
}

function status(turn: Colour): string {
  const side = turn === "white" ? "White" : "Black";
  if (page.failure !== undefined) return page.failure;
  if (page.engine === undefined) return LOADING;
  // Not the positions, which change faster than they can be read aloud.
  if (page.wholeGame) return "Analysing the game…";
  const obstacle = whyNot() ?? page.refused;
  if (obstacle !== undefined) return obstacle;
  if (page.mode === "play") return `Your move: ${side}.${page.answer === undefined ? "" : ` Ibex has played ${page.answer}.`}`;
  // A claimable draw does not end an analysis.
  const ending = page.game.ending();
  return ending === undefined ? `${side} to move.` : outcome(ending);
}

function showMoves(): void {
  const { game } = page;
  const start = positionOf(game.start);
  const list = byId("moves");
  // The keyboard focus stays on its move, although the list is rebuilt.
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
    move.onclick = () => on.ply(at + 1);
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

export function showAnalysis(): void {
  const { game } = page;
  const position = game.position();
  const list = byId("lines");
  const shown = page.mode === "analyse" ? page.lines.filter((line) => line !== undefined) : [];
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
  const values = Array.from({ length: game.moves.length + 1 }, (_, ply) => page.expectations[ply]);
  const graph = document.getElementById("graph") as unknown as SVGSVGElement;
  // During a game, Ibex's expectation is secret, like its lines.
  const isSecret = page.mode === "play" && !isOver();
  graph.classList.toggle("empty", isSecret || !values.some((value) => value !== undefined));
  // A finished game ends with its result.
  const outcomes: Record<string, number> = { "1-0": 1, "1/2-1/2": 0.5, "0-1": 0 };
  if (game.moves.length > 0) values[game.moves.length] ??= outcomes[result()];
  drawGraph(graph, values, game.ply, (ply) => on.ply(ply));
  const here = page.expectations[game.ply];
  label(graph, `Expectation of White over the game${here === undefined ? "" : `, here ${Math.round(100 * here)}%`}`);
}

function lineItem(line: Line, position: ReturnType<Game["position"]>): HTMLLIElement {
  const item = document.createElement("li");
  const score = document.createElement("b");
  score.textContent = scoreText(line, position.turn);
  const kind = document.createElement("em");
  kind.textContent = statement(line);
  kind.className = statement(line).replace(" ", "-");
  const moves = document.createElement("span");
  const path = page.game.path;
  variationSans(position, line.pv).forEach(({ san }, at) => {
    const move = document.createElement("button");
    move.className = "quiet";
    move.textContent = san;
    // The line is one stop of the Tab key; the arrow keys move within it.
    move.tabIndex = at === 0 ? 0 : -1;
    move.onclick = () => {
      // The board may show another position by now.
      if (page.game.path.join() === path.join()) on.line(line.pv.slice(0, at + 1));
    };
    moves.append(move, " ");
  });
  moves.onkeydown = (event) => {
    const next = { ArrowLeft: "previousElementSibling", ArrowRight: "nextElementSibling" } as const;
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    // They are also keys of the page, for the game.
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
