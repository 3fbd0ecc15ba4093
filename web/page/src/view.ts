// The display: the board, the moves, and the engine's lines for the position.

import { Chessground } from "@lichess-org/chessground";
import type { DrawShape } from "@lichess-org/chessground/draw";
import type { Key } from "@lichess-org/chessground/types";
import { chessgroundMove } from "chessops/compat";
import { makeSquare, parseUci } from "chessops/util";

import { amount, button, byId, element, input, label, select } from "./dom";
import type { Game, Node } from "./game";
import { clockText, control, left } from "./clock";
import { drawGraph } from "./graph";
import { writePgn } from "./pgn";
import { variationSans } from "./position";
import { chances, judge, MARKS, PHASES, summary } from "./review";
import { type Colour, enginePlays, IBEX, isOver, LOADING, outcome, page, result, whyNot, YOU } from "./state";
import { evaluation, evaluationText, type Line, scoreText, statement, verdict } from "./uci";

/** The events of the board and the lists; `main.ts` handles them. */
export const on = {
  /** A man was moved on the board. */
  move: (_from: string, _to: string): void => {},
  /** A place of the main line was selected. */
  ply: (_ply: number): void => {},
  /** A move of the tree was selected. */
  node: (_node: Node): void => {},
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
  showClocks();
  button("analyse").textContent = page.analysing ? "Analysis on" : "Analysis off";
  button("analyse").setAttribute("aria-checked", String(page.analysing));
  button("whole").textContent = page.wholeGame ? "Stop" : "Whole game";
  button("analyse").disabled = page.failure !== undefined;
  button("whole").disabled = game.moves.length === 0 || page.engine === undefined || page.failure !== undefined;
  button("take-back").disabled = game.moves.length === 0;
  button("resign").disabled = isOver() || select("colour").value === "none";
  button("first").disabled = button("back").disabled = game.path.length === 0;
  button("forward").disabled = button("end").disabled = game.here.children.length === 0;
  // Invalid input stays in the field, so that it can be corrected.
  if (document.activeElement !== byId("fen") && byId("fen-error").textContent === "") input("fen").value = game.fen();
  showPgn();
  showGames();
  void showOpening();
  showMoves();
  showRemarks();
  showSummary();
  showAnalysis();
}

/** Names the opening. Its table is loaded with the first move; without it, as without a network, there is no name. */
async function showOpening(): Promise<void> {
  const { game } = page;
  const { here } = game;
  const table = here.parent === undefined ? undefined : await import("./openings").catch(() => undefined);
  // The page may show something else by now.
  if (page.game !== game || game.here !== here) return;
  byId("opening").textContent = table?.openingOf([...game.positions(here.line), game.position()]) ?? "";
}

/** Whether the clock of the side to move runs: in a game played here, after its first move. */
export const clockRuns = (): boolean =>
  page.mode === "play" && control(page.game) !== undefined && page.game.moves.length > 0 && !isOver() && page.engine !== undefined;

/** The time left to both players, in a game with clocks: as it is now, or as it was at an earlier place of the game. */
export function showClocks(): void {
  const { game } = page;
  const turn = game.position(game.moves).turn;
  const line = game.here.line;
  for (const [id, colour] of [["bottom", page.orientation], ["top", page.orientation === "white" ? "black" : "white"]] as const) {
    const isOut = colour === turn && game.headers.get("Termination") === "time forfeit";
    const now = page.mode !== "play" ? undefined : isOut ? 0 : left(game, colour, clockRuns() && colour === turn);
    const first = game.start.split(" ")[1] === "b" ? "black" : "white";
    const then = line.filter((_, at) => (at % 2 === 0) === (colour === first)).at(-1)?.clock;
    const time = now ?? then;
    byId(`${id}-clock`).textContent = time === undefined ? "" : clockText(time);
  }
}

/** The PGN that the page has put into the field. What the user has typed there stays until it is loaded. */
let shownPgn = "";

function showPgn(): void {
  const field = byId<HTMLTextAreaElement>("pgn");
  if (field.value !== shownPgn || document.activeElement === field || byId("pgn-error").textContent !== "") return;
  field.value = writePgn(page.game, result(), !isSecret());
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

/** During a game, Ibex's evaluations are secret, like its lines. */
export const isSecret = (): boolean => page.mode === "play" && !isOver();

function showGames(): void {
  const list = select("games");
  byId("games-row").hidden = page.mode !== "analyse" || page.games.length < 2;
  if (page.games.length < 2) return;
  if (list.length !== page.games.length) list.replaceChildren(...page.games.map(({ title }) => element("option", {}, title)));
  list.selectedIndex = page.chosen;
}

/** The signs of glyphs; others are shown by their numbers. */
const GLYPHS: Record<number, string> = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 10: "=", 13: "∞", 14: "⩲", 15: "⩱", 16: "±", 17: "∓", 18: "+−", 19: "−+" };

/** A move of the list as a button, with its glyphs. */
function moveButton(node: Node): HTMLElement[] {
  const move = element("button", { class: "quiet" }, node.san);
  if (node === page.game.here) {
    move.classList.add("here");
    move.setAttribute("aria-current", "true");
  }
  move.onclick = () => on.node(node);
  const glyphs = node.glyphs.map((glyph) => element("span", { class: `glyph g${glyph}` }, GLYPHS[glyph] ?? `$${glyph}`));
  return [move, ...glyphs];
}

/** A cell of the main line: the move and the evaluation after it. */
function cell(node: Node): HTMLElement {
  const found = isSecret() || node.evaluation === undefined ? "" : evaluationText(node.evaluation);
  return element("div", { class: "cell" }, ...moveButton(node), element("span", { class: "score" }, found));
}

/** No file nests its variations deeper than this, but one that is made to harm. */
const DEEPEST = 40;

/** A variation from this move on, with those inside it in parentheses. */
function variation(first: Node, depth = 0): HTMLElement[] {
  if (depth > DEEPEST) return [element("span", {}, "…")];
  const parts: HTMLElement[] = [];
  const comment = (text: string) => text !== "" && parts.push(element("span", { class: "comment" }, text));
  let number = true;
  for (let node: Node | undefined = first; node !== undefined; node = node.children[0]) {
    const { turn, fullmoves } = positionBefore(node);
    comment(node.before);
    if (number || turn === "white") parts.push(element("span", { class: "number" }, `${fullmoves}${turn === "white" ? "." : "…"}`));
    parts.push(...moveButton(node));
    comment(node.comment);
    number = node.comment !== "";
    // The siblings of a move follow it.
    if (node !== first) {
      for (const other of node.parent!.children.slice(1)) {
        parts.push(element("span", {}, "("), ...variation(other, depth + 1), element("span", {}, ")"));
        number = true;
      }
    }
  }
  return parts;
}

/** Whose move it was, and its number. */
function positionBefore(node: Node): { turn: Colour; fullmoves: number } {
  const start = startOf(page.game);
  const plies = node.line.length - 1 + (start.turn === "white" ? 0 : 1);
  return { turn: plies % 2 === 0 ? "white" : "black", fullmoves: start.fullmoves + Math.floor(plies / 2) };
}

function startOf(game: Game): { turn: Colour; fullmoves: number } {
  const fields = game.start.split(" ");
  return { turn: fields[1] === "b" ? "black" : "white", fullmoves: Number(fields[5] ?? 1) };
}

/** The moves in two columns; comments and variations take the whole width below their move. */
function showMoves(): void {
  const { game } = page;
  const list = byId("moves");
  // The keyboard focus stays on its move, although the list is rebuilt.
  const focused = [...list.querySelectorAll("button")].indexOf(document.activeElement as HTMLButtonElement);
  const rows: HTMLElement[] = [];
  const wide = (...parts: (HTMLElement | string)[]) => rows.push(element("div", { class: "wide" }, ...parts));
  if (game.root.comment !== "") wide(game.root.comment);
  let { turn, fullmoves } = startOf(game);
  let pair: HTMLElement | undefined;
  for (const node of game.mainline) {
    if (node.before !== "") {
      wide(node.before);
      pair = undefined;
    }
    if (pair === undefined) {
      pair = element("div", { class: "pair" }, element("span", { class: "number" }, `${fullmoves}.`));
      rows.push(pair);
      if (turn === "black") pair.append(element("div", { class: "cell" }, element("span", { class: "score" }, "…")));
    }
    pair.append(cell(node));
    const others = node.parent!.children.slice(1);
    if (node.comment !== "") wide(node.comment);
    for (const other of others) wide(...variation(other));
    if (turn === "black" || node.comment !== "" || others.length > 0) pair = undefined;
    if (turn === "black") fullmoves += 1;
    turn = turn === "white" ? "black" : "white";
  }
  list.replaceChildren(...rows);
  if (focused >= 0) list.querySelectorAll("button")[focused]?.focus({ preventScroll: true });
  const here = list.querySelector<HTMLElement>(".here");
  if (here !== null) list.scrollTop += here.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
  byId("variation").hidden = !game.inVariation;
}

/** What is said of the move on the board, to be edited. */
function showRemarks(): void {
  const { here } = page.game;
  byId("annotate").hidden = page.mode !== "analyse" || !page.game.holdsWork;
  if (document.activeElement !== byId("comment")) input("comment").value = here.comment;
  select("glyph").value = String(here.glyphs.find((glyph) => glyph <= 6) ?? "");
  select("glyph").disabled = button("delete").disabled = here.parent === undefined;
  button("promote").disabled = !page.game.inVariation;
}

/** Accuracy and marks of both players, once every move is judged. */
function showSummary(): void {
  const place = byId("summary");
  const moves = judge(page.game);
  const isWhole = moves.length > 0 && moves.length === page.game.mainline.length;
  place.hidden = page.mode !== "analyse" || !isWhole || page.wholeGame;
  if (place.hidden) return;
  const percent = (found: ReturnType<typeof summary>) => (found === undefined ? "–" : `${Math.round(found.accuracy)}%`);
  const players = (["white", "black"] as const).map((player) => moves.filter((move) => move.player === player));
  const wholes = players.map(summary);
  const rows: [string, string[]][] = [
    ["Accuracy", wholes.map(percent)],
    ...PHASES.map((phase): [string, string[]] => [`in the ${phase}`, players.map((own) => percent(summary(own.filter((move) => move.phase === phase))))]),
    ...MARKS.map(({ name }, at): [string, string[]] => [NAMES[name], wholes.map((whole) => String(whole?.marks[at] ?? 0))]),
  ];
  const heads = ["", "White", "Black"].map((text) => element("th", { scope: "col" }, text));
  const body = rows.map(([name, cells]) =>
    element("tr", {}, element("th", { scope: "row" }, name), ...cells.map((text) => element("td", {}, text))));
  place.replaceChildren(element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...body));
}

/** The names of marks, for several. */
const NAMES = { blunder: "Blunders ??", mistake: "Mistakes ?", dubious: "Dubious ?!" };

/** White's expectation at a place, 0 to 1. */
function expectation(node: Node): number | undefined {
  return node.evaluation === undefined ? undefined : (1 + chances(node.evaluation)) / 2;
}

/** The bar beside the board: White's expectation on the board, and its score. */
function showBar(first: Line | undefined, turn: Colour): void {
  const { game } = page;
  const bar = byId("bar");
  bar.hidden = page.mode !== "analyse";
  const ending = game.ending(game.path, false);
  const found = (first && evaluation(first, turn)) ?? game.here.evaluation;
  const ended = ending === undefined ? undefined : ending.winner === undefined ? 0.5 : ending.winner === "white" ? 1 : 0;
  const share = ended ?? (found === undefined ? undefined : (1 + chances(found)) / 2);
  const text = ended !== undefined ? { 1: "1-0", 0.5: "½", 0: "0-1" }[ended]! : found === undefined ? "" : evaluationText(found);
  // The bar is narrow.
  const short = found !== undefined && ended === undefined && "pawns" in found && Math.abs(found.pawns) < 100 ? Math.abs(found.pawns).toFixed(1) : text;
  bar.classList.toggle("empty", share === undefined);
  bar.classList.toggle("flipped", page.orientation === "black");
  (bar.firstElementChild as HTMLElement).style.height = `${100 * (share ?? 0.5)}%`;
  const score = bar.lastElementChild as HTMLElement;
  score.textContent = short;
  score.className = (share ?? 0.5) >= 0.5 ? "white" : "black";
  label(bar, text === "" ? "Evaluation: none yet" : `Evaluation: ${text}`);
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
  showBar(first, position.turn);
  const claim = first === undefined ? "" : (verdict(first, position.turn) ?? "");
  if (byId("verdict").textContent !== claim) byId("verdict").textContent = claim;
  const isEnd = page.mode === "analyse" && page.analysing && game.ending(game.path, false) !== undefined;
  byId("speed").textContent =
    page.wholeGame ? page.progress
    : isEnd ? "The game is over here: nothing to search."
    : first === undefined
      ? ""
      : `depth ${first.depth} · ${amount(first.nodes)} nodes · ${amount(first.nps)}/s · hash ${Math.round(first.hashfull / 10)}%`;
  // The best move has the heaviest arrow. Those of a file's comment come on top.
  const shapes: DrawShape[] = shown.map((line, at) => arrow(line.pv[0]!, at === 0 ? "green" : "paleBlue", Math.max(12 - 3 * at, 4))).reverse();
  const drawn = game.here.shapes.map(({ color, from, to }) => {
    const [orig, dest] = [makeSquare(from) as Key, makeSquare(to) as Key];
    return from === to ? { orig, brush: color } : { orig, dest, brush: color };
  });
  ground.setAutoShapes([...shapes, ...drawn]);
  const line = [game.root, ...game.mainline];
  const values = line.map(expectation);
  const graph = document.getElementById("graph") as unknown as SVGSVGElement;
  graph.classList.toggle("empty", isSecret() || game.moves.length === 0 || !values.some((value) => value !== undefined));
  // A finished game ends with its result.
  const outcomes: Record<string, number> = { "1-0": 1, "1/2-1/2": 0.5, "0-1": 0 };
  if (game.moves.length > 0) values[game.moves.length] ??= outcomes[result()];
  const judged = judge(game);
  const marks = judged.flatMap(({ node, mark }) => (mark === undefined ? [] : [{ at: line.indexOf(node), kind: mark.name }]));
  const borders = judged.flatMap(({ phase }, at) => (at > 0 && judged[at - 1]!.phase !== phase ? [at] : []));
  drawGraph(graph, { values, ply: game.ply, marks, borders: judged.length === line.length - 1 ? borders : [] }, (ply) => on.ply(ply));
  const here = expectation(line[game.ply]!);
  label(graph, `Expectation of White over the game${here === undefined ? "" : `, here ${Math.round(100 * here)}%`}`);
}

/** The numbers of the lines that are shown whole. */
const unfolded = new Set<number>();

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
  const depth = element("small", {}, `depth ${line.depth}`);
  const unfold = element("button", { class: "quiet unfold", "aria-label": "The whole line", "aria-expanded": String(unfolded.has(line.number)) }, "⋯");
  item.classList.toggle("whole", unfolded.has(line.number));
  unfold.onclick = () => {
    if (!unfolded.delete(line.number)) unfolded.add(line.number);
    item.classList.toggle("whole", unfolded.has(line.number));
    unfold.setAttribute("aria-expanded", String(unfolded.has(line.number)));
  };
  item.append(score, kind, depth, unfold, moves);
  return item;
}

function arrow(uci: string, brush: string, lineWidth: number): DrawShape {
  const [from, to] = chessgroundMove(parseUci(uci)!);
  return { orig: from as Key, dest: to as Key, brush, modifiers: { lineWidth } };
}
