// The engine as its user sees it: lines in and out, from the thread that has loaded it.
//
// A search keeps the worker busy, so `stop` and `ponderhit` reach it by shared memory as well. Without shared memory, the
// worker that searches is ended and another one takes its place. The same happens to a worker that has failed. The new
// one hears again what the old one knew: options and position, with `debug` and `flip`.

import { PONDERHITS, STOPS } from "./serve.js";

/** How often a search is begun anew after a failure, before it is given up. */
const ATTEMPTS = 2;

/** The words that begin a line of UCI. */
export const KEYWORDS = new Set(
  "uci debug isready setoption register ucinewgame position go stop ponderhit quit".split(" "),
);

/** The words that begin a line for a person at the prompt, here and in the native program. */
export const PROMPT = new Set("d eval flip help compiler license perft bench".split(" "));

/** The words of the prompt that the native program alone carries out. */
export const NATIVE = new Set("genfens probe spsa".split(" "));

/**
 * The first word that counts, in small letters: like the engine, this skips unknown words before a command. A comment and
 * a word of the prompt are not unknown.
 */
export function word(line) {
  const words = line.trim().toLowerCase().split(/\s+/);
  const known = words[0].startsWith("#") || PROMPT.has(words[0]) || NATIVE.has(words[0]);
  return known ? words[0] : (words.find((other) => KEYWORDS.has(other)) ?? words[0]);
}

/** Whether a line begins a search, which a `bestmove` answers. */
export const isSearch = (line) => word(line) === "go" && !/\sperft\b/i.test(line);

/** Whether a line needs the engine for itself, as a search or a count of moves does. It ends a search without end. */
export const isTurn = (line) => word(line) === "go" || /^\s*perft(\s+\+?\d+(\s|$)|\s*$)/i.test(line);

/** The last line that a line has to be answered with, if it is one to wait for: here from an engine that cannot run. */
const lastAnswer = (line) => (isSearch(line) ? "bestmove (none)" : { uci: "uciok", isready: "readyok" }[word(line)]);

/** Whether a line begins a search that only `stop` or `ponderhit` ends: one that says so, or has no limit. */
export function isEndless(line) {
  if (!isSearch(line)) return false;
  // Of increments alone, only that of the side to move is a limit, and the line does not say which side that is.
  const increments = ["w", "b"].every((side) => new RegExp(`\\s${side}inc\\s+\\+?[1-9]`, "i").test(line));
  const limited = increments || /\s(depth|nodes|mate|movetime|[wb]time)\s+[-+]?\d/i.test(line);
  return /\s(infinite|ponder)\b/i.test(line) || !limited;
}

/** What a line that begins a search means after `ponderhit`. */
export const afterPonderhit = (line) => line.replace(/\sponder\b/gi, "");

/** Whether a search is as short as can be. */
const isShort = (line) => isSearch(line) && !isEndless(line) && /\sdepth\s+1$/i.test(line);

/** The same search, as short as can be: limits combine, and the moves that it may choose from stay. */
const shortened = (line) => (isShort(line) ? line : `${line.replace(/\s(infinite|ponder)\b/gi, "")} depth 1`);

export class Engine {
  #module;
  #makeWorker;
  #shared;
  #worker = null;
  #flags = null;
  #listeners = new Set();
  /**
   * What the worker knows but for the queue: the lines that set its options, and those that made its position.
   *
   * Of an option all lines are kept since the last that surely counts: the engine may have refused those after it.
   */
  #options = [];
  #position = [];
  /** The `uci` and `isready` that the worker has not answered. */
  #asked = [];
  /** The `go` that has no answer yet, and every line behind it. */
  #queue = [];
  /** How many of these the worker has been told. */
  #sent = 0;
  /** The last line with moves of the running search. */
  #pv = null;
  #attempts = 0;
  #failure = null;

  /** Receives each line of output. */
  onmessage;

  constructor(module, makeWorker, shared, onmessage) {
    this.#module = module;
    this.#makeWorker = makeWorker;
    this.#shared = shared;
    this.onmessage = onmessage;
    this.#begin();
  }

  /** Whether a search is running. */
  get searching() {
    return this.#queue.length > 0;
  }

  /** Why the engine has been given up; null while it has not. */
  get failure() {
    return this.#failure;
  }

  /** Says a line of UCI to the engine. */
  postMessage(line) {
    line = String(line).replace(/[\r\n]+/g, " ").trim();
    const first = word(line);
    if (first === "quit") return this.terminate();
    // Who waits for an answer must not wait for ever. Not at once, because the answer may bring the next line.
    const answer = this.#failure !== null ? lastAnswer(line) : undefined;
    if (answer !== undefined) setTimeout(() => this.#emit(answer));
    if (this.#worker === null || line === "") return;
    // As in the native engine, the next search or count ends a search that would go on for ever.
    if (isTurn(line) && this.#isEndless()) this.#interrupt("stop");
    if (this.searching) {
      if (first === "isready") return this.#emit("readyok");
      if (first === "stop" || first === "ponderhit") return this.#interrupt(first);
      this.#queue.push(line);
      this.#flush();
    } else if (isSearch(line)) {
      this.#queue.push(line);
      this.#pv = null;
      this.#attempts = 0;
      this.#flush();
    } else {
      this.#remember(line);
      this.#signal(line);
      this.#send(line);
    }
  }

  addMessageListener(listener) {
    this.#listeners.add(listener);
  }

  removeMessageListener(listener) {
    this.#listeners.delete(listener);
  }

  /** Ends the engine; it cannot be used afterwards. */
  terminate() {
    this.#worker?.end();
    this.#worker = null;
    this.#queue = [];
    this.#sent = 0;
  }

  /** Whether the running search will wait for a line that has not been said. */
  #isEndless() {
    if (!this.searching) return false;
    let [running, ...behind] = this.#queue;
    for (const line of behind) {
      const first = word(line);
      if (isTurn(line) || first === "stop") return false;
      if (first === "ponderhit") running = afterPonderhit(running);
    }
    return isEndless(running);
  }

  #begin() {
    this.#flags = this.#shared ? new Int32Array(new SharedArrayBuffer(8)) : null;
    const worker = this.#makeWorker(
      // What a worker says after its end is not heard.
      (message) => this.#worker === worker && this.#hear(message),
      (reason) => this.#worker === worker && this.#replace(reason),
    );
    this.#worker = worker;
    worker.send({ module: this.#module, flags: this.#flags });
  }

  /** Tells a running search of `stop` and `ponderhit` before it can hear them. */
  #signal(line) {
    const first = word(line);
    if (this.#flags !== null && first === "stop") Atomics.add(this.#flags, STOPS, 1);
    if (this.#flags !== null && first === "ponderhit") Atomics.add(this.#flags, PONDERHITS, 1);
  }

  #send(line) {
    const first = word(line);
    // A worker counts these lines by their plain words.
    this.#worker.send(first === "stop" || first === "ponderhit" ? first : line);
  }

  /**
   * Sends what waits in the queue.
   *
   * A search without end is sent when nothing runs before it: until then another `go` or `perft`, or without shared
   * memory a `stop` or a `ponderhit`, may change what it is.
   */
  #flush() {
    while (this.#sent < this.#queue.length && (this.#sent === 0 || !isEndless(this.#queue[this.#sent]))) {
      this.#send(this.#queue[this.#sent]);
      this.#sent += 1;
    }
  }

  #emit(line) {
    this.onmessage?.(line);
    for (const listener of [...this.#listeners]) listener(line);
  }

  #hear(message) {
    if (typeof message !== "string") return this.#replace(message.failed);
    const first = word(message);
    if (first === "info" && / pv \S/.test(message) && !/ multipv (?!1 )/.test(message)) this.#pv = message;
    if (first === "bestmove") this.#answered();
    const answered = this.#asked.indexOf({ uciok: "uci", readyok: "isready" }[first]);
    if (answered >= 0) this.#asked.splice(answered, 1);
    // An idle worker that answers is a good one. One that searches has to show it by the search.
    if (answered >= 0 && !this.searching) this.#attempts = 0;
    this.#emit(message);
  }

  /** Takes note of the end of a search, and of what the worker hears next. */
  #answered() {
    this.#shift();
    this.#pv = null;
    this.#attempts = 0;
    while (this.searching && !isSearch(this.#queue[0])) this.#remember(this.#shift());
    // What has not been sent is without end, and what needs the engine after it ends it at once.
    if (this.searching && this.#sent === 0 && this.#queue.slice(1).some(isTurn)) {
      this.#queue[0] = shortened(this.#queue[0]);
    }
    this.#flush();
  }

  #shift() {
    this.#sent = Math.max(0, this.#sent - 1);
    return this.#queue.shift();
  }

  #remember(line) {
    const first = word(line);
    if (first === "position") this.#position = [line];
    if (first === "flip") this.#position.push(line);
    // A new game forgets a position that was refused; once is enough.
    if (first === "ucinewgame" && word(this.#position.at(-1) ?? line) !== first) this.#position.push(line);
    if (first === "uci" || first === "isready") this.#asked.push(first);
    if (first === "debug" || first === "setoption") {
      // No option begins with a blank.
      const name = first === "debug" ? " debug" : (/\bname\s+(.*?)(\s+value\b|$)/i.exec(line)?.[1] ?? line).toLowerCase();
      // Numbers, true, false, on and off are never refused.
      const counts = /\svalue\s+([-+]?\d+|true|false)$/i.test(line) || (first === "debug" && /\s(on|off)\b/i.test(line));
      this.#options = this.#options.filter((own) => own.line !== line && !(counts && own.name === name));
      this.#options.push({ name, line });
    }
  }

  #interrupt(first) {
    if (first === "ponderhit") {
      // It is meant for the last search, and is nothing to one that does not ponder.
      const last = this.#queue.findLastIndex(isSearch);
      const hit = afterPonderhit(this.#queue[last]);
      if (hit === this.#queue[last]) return;
      if (last > 0 || this.#flags === null) {
        this.#queue[last] = hit;
        return last > 0 ? this.#flush() : this.#restart(false);
      }
    }
    if (this.#flags !== null) {
      this.#queue.push(first);
      this.#signal(first);
      return this.#flush();
    }
    // `stop` is meant for every search, and a new worker hears them all.
    const queue = this.#queue.map((line, at) => (at > 0 && isSearch(line) ? shortened(line) : line));
    const mustHear = queue.some((line, at) => at < this.#sent && line !== this.#queue[at]);
    this.#queue = queue;
    // An answer that an earlier `stop` has asked for is on its way, and another worker would begin it again.
    if (mustHear || !isShort(queue[0])) this.#restart(true);
    else this.#flush();
  }

  /** Another worker for one that has failed. */
  #replace(reason) {
    this.#attempts += 1;
    const remark = `info string the engine was restarted: ${reason}`;
    // The last attempt at a search is a short one.
    if (this.#attempts <= ATTEMPTS + (this.searching ? 1 : 0)) {
      return this.#restart(this.searching && (this.#pv !== null || this.#attempts > ATTEMPTS), remark);
    }
    const unanswered = [...this.#asked, ...this.#queue].filter((line) => lastAnswer(line) !== undefined);
    this.terminate();
    this.#failure = reason;
    this.#emit(`info string the engine cannot run here: ${reason}`);
    for (const line of unanswered) this.#emit(lastAnswer(line));
  }

  /**
   * Puts another worker in the place of this one: it hears what the old one knew, and what that has not answered.
   *
   * With `settle`, the running search is not begun anew, but answered with its last line, or else by a short search.
   */
  #restart(settle, remark = null) {
    this.#worker.end();
    this.#begin();
    for (const { line } of this.#options) this.#send(line);
    for (const line of this.#position) this.#send(line);
    for (const line of this.#asked) this.#send(line);
    const answer = settle ? this.#lastAnswer() : null;
    if (settle && answer === null) this.#queue[0] = shortened(this.#queue[0]);
    // A search that has its answer is not sent again.
    this.#sent = answer === null ? 0 : 1;
    for (const line of this.#queue) this.#signal(line);
    this.#flush();
    if (answer !== null) this.#answered();
    // At the end, because who hears it may say the next line at once.
    if (remark !== null) this.#emit(remark);
    if (answer !== null) this.#emit(answer);
  }

  /** The answer that the last line of the running search stands for, if there was a line. */
  #lastAnswer() {
    const moves = / pv (.*)$/.exec(this.#pv ?? "")?.[1].split(" ");
    if (moves === undefined) return null;
    return `bestmove ${moves[0]}${moves.length > 1 ? ` ponder ${moves[1]}` : ""}`;
  }
}
