// The page: the effects of its buttons, fields and keys.

import "@lichess-org/chessground/assets/chessground.base.css";
import "@lichess-org/chessground/assets/chessground.brown.css";
import "@lichess-org/chessground/assets/chessground.cburnett.css";
import "./style.css";

import { INITIAL_FEN, makeFen } from "chessops/fen";

import { act, analyseWhole, changed, checkClock, choose, goTo, goToNode, moved, newGame, play, setMode, setUp, takeBack, toggleAnalysis } from "./actions";
import { CHOICES, keep, listThreads, restore, setRatings, showElo } from "./choices";
import { button, byId, input, select } from "./dom";
import { Searcher } from "./engine";
import { Game } from "./game";
import { isolate } from "./offline";
import { decode, games, readPgn, writePgn } from "./pgn";
import { chess960, namesFiles, positionOf } from "./position";
import { type Colour, page, result, whyNot } from "./state";
import { recall, store } from "./storage";
import { isSecret, on, pgnLoaded, show } from "./view";

function start(): Game {
  const number = Math.max(0, Math.min(959, Math.round(input("number960").valueAsNumber || 0)));
  input("number960").value = String(number);
  const game = input("use960").checked ? new Game(chess960(number), true) : new Game(INITIAL_FEN);
  // A time for each move of the engine alone is no time control.
  if (select("movetime").value.includes("+")) game.headers.set("TimeControl", select("movetime").value);
  return game;
}

/** Whether the game on the page may be lost: it holds nothing, it was played here to its end, or the user says so. */
function mayDiscard(): boolean {
  const asks = page.game.holdsWork && (page.mode === "analyse" || result() === "*");
  return !asks || confirm("Leave this game and begin a new one?");
}

function report(id: string, attempt: () => void): void {
  const place = byId(id);
  place.textContent = "";
  try {
    attempt();
  } catch (error) {
    place.textContent = error instanceof Error ? error.message : String(error);
  }
}

/** Plays the typed move. */
function typed(): void {
  const text = input("move").value.trim();
  if (text === "") return;
  if (page.game.lacksPromotion(text)) throw new Error("Add what the pawn becomes: q, r, b or n.");
  const move = page.game.parse(text);
  if (move === undefined) throw new Error(`'${text}' is not a move here.`);
  const obstacle = whyNot();
  if (obstacle !== undefined) throw new Error(obstacle);
  if (page.game.legal(move) === undefined) throw new Error(`'${text}' is not legal here.`);
  input("move").value = "";
  play(move);
}

/** Loads a PGN: its first game, and a list if there are several. */
function loadPgn(text: string): void {
  const { game, remark } = readPgn(text);
  const all = games(text);
  if (text === byId<HTMLTextAreaElement>("pgn").value) pgnLoaded();
  setUp(game);
  byId("remark").textContent = remark;
  if (all.length < 2) return;
  Object.assign(page, { games: all, chosen: 0 });
  keep();
  show();
}

/** The game as PGN, without what must stay secret. */
const asPgn = (): string => writePgn(page.game, result(), !isSecret());

/** All games of the list, the one on the page as it is now. */
const allAsPgn = (): string =>
  page.games.length < 2 ? asPgn() : page.games.map(({ text }, at) => (at === page.chosen ? asPgn() : `${text.trim()}\n`)).join("\n");

function setTheme(theme: string | null): void {
  if (theme === null) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function listen(): void {
  on.move = (from, to) => void moved(from, to);
  on.ply = goTo;
  on.node = goToNode;
  on.line = (moves) => (page.game.explore(moves), changed());
  const click = (id: string, action: () => void) => (button(id).onclick = action);
  click("tab-play", () => setMode("play"));
  click("tab-analyse", () => setMode("analyse"));
  click("first", () => goTo(0));
  click("back", () => (page.game.back(), changed()));
  click("forward", () => (page.game.forward(), changed()));
  click("end", () => {
    while (page.game.here.children.length > 0) page.game.forward();
    changed();
  });
  click("leave", () => (page.game.leave(), changed()));
  click("promote", () => (page.game.promote(page.game.here), changed()));
  click("delete", () => (page.game.remove(page.game.here), changed()));
  click("flip", () => ((page.orientation = page.orientation === "white" ? "black" : "white"), keep(), show()));
  click("new-game", () => mayDiscard() && newGame(start()));
  click("take-back", takeBack);
  click("resign", () => ((page.resigned = select("colour").value as Colour), changed()));
  click("analyse", toggleAnalysis);
  click("whole", () => void analyseWhole());
  click("random960", () => {
    input("number960").value = String(Math.floor(Math.random() * 960));
    input("use960").checked = true;
    keep();
  });
  click("set-fen", () => report("fen-error", () => setUp(readFen(input("fen").value))));
  click("copy-fen", () => void copy(page.game.fen(), "fen"));
  click("load-pgn", () => report("pgn-error", () => loadPgn(byId<HTMLTextAreaElement>("pgn").value)));
  click("copy-pgn", () => void copy(asPgn(), "pgn"));
  click("save-pgn", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([allAsPgn()], { type: "application/x-chess-pgn" }));
    link.download = "game.pgn";
    link.click();
    // Not at once: some browsers start to save later.
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
  input("comment").oninput = () => {
    page.game.here.comment = input("comment").value.replace(/[{}]/g, "");
    keep();
  };
  input("comment").onchange = show;
  select("glyph").onchange = () => {
    const { here } = page.game;
    const chosen = Number(select("glyph").value);
    here.glyphs = [...(chosen === 0 ? [] : [chosen]), ...here.glyphs.filter((glyph) => glyph > 6)];
    keep();
    show();
  };
  select("games").onchange = () => {
    report("remark", () => choose(select("games").selectedIndex));
    // The list shows the game on the page, whether or not it is another one now.
    show();
  };
  input("elo").oninput = showElo;
  for (const id of CHOICES) input(id).addEventListener("change", () => (keep(), show(), void choicesChanged(id)));
  document.addEventListener("keydown", keys);
  setInterval(checkClock, 100);
  // A touch outside the dialog closes it, like Escape.
  const dialog = byId<HTMLDialogElement>("promotion");
  dialog.onclick = (event) => {
    if (event.target === dialog) dialog.close();
  };
}

/**
 * A new colour takes effect at once, and so do lines, threads and hash in an analysis. Time and strength apply to the
 * next search.
 */
function choicesChanged(id: string): void {
  if (id === "elo") showElo();
  // The browser's remark about the memory referred to the previous choice.
  if (id === "hash" || id === "threads") byId("remark").textContent = "";
  if (id === "colour" && select("colour").value !== "none") page.orientation = select("colour").value as Colour;
  if (id === "colour" || (["multipv", "threads", "hash"].includes(id) && page.analysing)) changed();
}

/** Copies a text. If the browser does not allow that, as without HTTPS, selects it in a field instead. */
async function copy(text: string, field: "fen" | "pgn"): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    byId("copied").textContent = `The ${field.toUpperCase()} is copied.`;
  } catch {
    const place = byId<HTMLInputElement | HTMLTextAreaElement>(field);
    place.value = text;
    place.select();
    byId(`${field}-error`).textContent = "This browser cannot copy here; the text is selected.";
  }
}

function readFen(text: string): Game {
  // As the engine reads it: some URLs have underscores for blanks. Castling rights by files are those of Chess960.
  return new Game(makeFen(positionOf(text).toSetup()), namesFiles(text));
}

function keys(event: KeyboardEvent): void {
  // An open dialog must be answered first.
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
  // Speech input and slipping fingers press unintended letters.
  if (/^[a-z]$/i.test(event.key) && !input("letters").checked) return;
  // With caps lock, a letter is a capital.
  const id = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  // Analysis has no button for it.
  if (id === "take-back" && page.mode !== "play") return;
  if (id !== undefined) {
    event.preventDefault();
    button(id).click();
  } else if (event.key === " " && page.mode === "analyse" && target.tagName !== "BUTTON" && target.tagName !== "SUMMARY") {
    event.preventDefault();
    toggleAnalysis();
  }
}

async function begin(): Promise<void> {
  setTheme(recall("theme"));
  listThreads();
  listen();
  restore();
  show();
  if (await isolate()) return;
  try {
    page.engine = await Searcher.load();
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    page.failure = `The engine cannot be loaded: ${reason}. Reload the page to try again.`;
    return show();
  }
  const { engine } = page;
  engine.onfailure = (reason) => {
    page.failure = `The engine cannot run here: ${reason}. Reload the page to try again; fewer threads or less hash may help.`;
    page.analysing = false;
    page.wholeGame = false;
    page.era += 1;
    show();
  };
  engine.onremark = (text) => (byId("remark").textContent = text);
  byId("about").textContent = `${engine.name}, free software under the GNU GPL. It runs in this page; nothing leaves it.`;
  const elo = engine.spins.get("UCI_Elo");
  if (elo !== undefined) setRatings(elo.min, elo.max);
  showElo();
  show();
  void act();
}

void begin();
