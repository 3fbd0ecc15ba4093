// The engine as its user sees it: lines in and out, on the thread that loaded it.
//
// A search keeps the worker busy, so `stop` and `ponderhit` also reach it through shared memory. Without shared
// memory, the searching worker is ended and replaced. The same happens to a worker that has failed. The new one gets
// the state of the old one again: options and position, including `debug` and `flip`.

import { LARGEST_POOL, newMemory, newPool } from "./module.js";
import { PONDERHITS, STOPS } from "./serve.js";

/** How often a search is restarted after a failure, before it is given up. */
const ATTEMPTS = 2;

/** The words that begin a line of UCI. */
export const KEYWORDS = new Set(
  "uci debug isready setoption register ucinewgame position go stop ponderhit quit".split(" "),
);

/** The words that begin a line for a person at the prompt. */
export const PROMPT = new Set("bench compiler d eval flip genfens help license perft spsa".split(" "));

/**
 * The first word that counts, in lower case: like the engine, this skips unknown words before a command. A comment and
 * a word of the prompt are not unknown.
 */
export function word(line) {
  const words = line.trim().toLowerCase().split(/\s+/);
  const known = words[0].startsWith("#") || PROMPT.has(words[0]);
  return known ? words[0] : (words.find((other) => KEYWORDS.has(other)) ?? words[0]);
}

/** Whether a line starts a search, which a `bestmove` answers. */
export const isSearch = (line) => word(line) === "go" && !/\sperft\b/i.test(line);

/** Whether a line needs the engine for itself, as a search or a perft does. It ends an infinite search. */
export const isTurn = (line) => word(line) === "go" || /^\s*perft(\s+\+?\d+(\s|$)|\s*$)/i.test(line);

/** The last line of the answer that a line requires, if it requires one: here from an engine that cannot run. */
const lastAnswer = (line) => (isSearch(line) ? "bestmove (none)" : { uci: "uciok", isready: "readyok" }[word(line)]);

/** Whether a line starts a search that only `stop` or `ponderhit` ends: an explicit one, or one without limits. */
export function isEndless(line) {
  if (!isSearch(line)) return false;
  // Of increments alone, only that of the side to move is a limit, and the line does not show which side that is.
  const increments = ["w", "b"].every((side) => new RegExp(`\\s${side}inc\\s+\\+?[1-9]`, "i").test(line));
  const limited = increments || /\s(depth|nodes|mate|movetime|[wb]time)\s+[-+]?\d/i.test(line);
  return /\s(infinite|ponder)\b/i.test(line) || !limited;
}

/** What a line that starts a search becomes after `ponderhit`. */
export const afterPonderhit = (line) => line.replace(/\sponder\b/gi, "");

/** Whether a search is only to depth 1. */
const isShort = (line) => isSearch(line) && !isEndless(line) && /\sdepth\s+1$/i.test(line);

/** The same search, but only to depth 1: limits combine, and the moves that it may choose from stay. */
const shortened = (line) => (isShort(line) ? line : `${line.replace(/\s(infinite|ponder)\b/gi, "")} depth 1`);

/** How many threads a line gives to searches: the option, or the second number of a bench. 1 in any other line. */
function threadsOf(line) {
  const option = word(line) === "setoption" && /\bname\s+threads\s+value\s+\+?(\d+)\s*$/i.exec(line);
  const bench = word(line) === "bench" && /^\s*bench\s+\S+\s+\+?(\d+)/i.exec(line);
  return Number((option || bench || [])[1] ?? 1);
}

export class Engine {
  #module;
  #makeWorker;
  #shared;
  #worker = null;
  #flags = null;
  /** What the workers of the engine share, and those that wait for work. */
  #memory = null;
  #pool = null;
  #helpers = [];
  #listeners = new Set();
  /**
   * The worker's state apart from the queue: the lines that set its options, and those that made its position.
   *
   * For each option, the lines since the last one that surely took effect: the engine may have refused those after it.
   */
  #options = [];
  #position = [];
  /** The `uci` and `isready` that the worker has not answered. */
  #asked = [];
  /** The `go` that is unanswered, and every line after it. */
  #queue = [];
  /** How many of these the worker has received. */
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

  /** Why the engine has been given up; null if it has not. */
  get failure() {
    return this.#failure;
  }

  /** Sends a line of UCI to the engine. */
  postMessage(line) {
    line = String(line).replace(/[\r\n]+/g, " ").trim();
    const first = word(line);
    if (first === "quit") return this.terminate();
    // An answer must come, or its reader would wait for ever. Not at once, because it may trigger the next line.
    const answer = this.#failure !== null ? lastAnswer(line) : undefined;
    if (answer !== undefined) setTimeout(() => this.#emit(answer));
    if (this.#worker === null || line === "") return;
    // As in the native engine, the next search or perft ends an infinite search.
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

  /** Ends the engine; it is unusable afterwards. */
  terminate() {
    this.#end();
    this.#queue = [];
    this.#sent = 0;
  }

  /** Whether the running search will wait for a line that has not been sent. */
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

  #end() {
    for (const worker of [this.#worker, ...this.#helpers]) worker?.end();
    this.#worker = null;
    this.#helpers = [];
  }

  #begin() {
    this.#flags = this.#shared ? new Int32Array(new SharedArrayBuffer(8)) : null;
    this.#memory = this.#shared ? newMemory(true) : null;
    this.#pool = this.#shared ? newPool() : null;
    const worker = this.#makeWorker(
      // Messages from a worker that has been ended are ignored.
      (message) => this.#worker === worker && this.#hear(message),
      (reason) => this.#worker === worker && this.#replace(reason),
    );
    this.#worker = worker;
    worker.send({ module: this.#module, memory: this.#memory, pool: this.#pool, flags: this.#flags });
  }

  /** Makes the workers for this many threads, unless they are there. */
  #provide(threads) {
    if (this.#pool === null) return;
    const own = this.#worker;
    while (this.#helpers.length < Math.min(threads - 1, LARGEST_POOL)) {
      const worker = this.#makeWorker(
        (message) => this.#worker === own && this.#hear(message),
        (reason) => this.#worker === own && this.#replace(reason),
      );
      this.#helpers.push(worker);
      worker.send({ module: this.#module, memory: this.#memory, pool: this.#pool, worker: this.#helpers.length });
    }
    Atomics.store(this.#pool, 0, this.#helpers.length);
  }

  /** Passes `stop` and `ponderhit` to a running search before it can read them as lines. */
  #signal(line) {
    const first = word(line);
    if (this.#flags !== null && first === "stop") Atomics.add(this.#flags, STOPS, 1);
    if (this.#flags !== null && first === "ponderhit") Atomics.add(this.#flags, PONDERHITS, 1);
  }

  #send(line) {
    const first = word(line);
    this.#provide(threadsOf(line));
    // A worker counts these lines by their plain words.
    this.#worker.send(first === "stop" || first === "ponderhit" ? first : line);
  }

  /**
   * Sends the lines that wait in the queue.
   *
   * An infinite search is sent only when nothing runs before it: until then another `go` or `perft`, or without shared
   * memory a `stop` or a `ponderhit`, may change it.
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
    // An idle worker that answers works. A searching one must show that by its search.
    if (answered >= 0 && !this.searching) this.#attempts = 0;
    this.#emit(message);
  }

  /** Notes the end of a search, and what the worker gets next. */
  #answered() {
    this.#shift();
    this.#pv = null;
    this.#attempts = 0;
    while (this.searching && !isSearch(this.#queue[0])) this.#remember(this.#shift());
    // What has not been sent is infinite, and a later line that needs the engine ends it at once.
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
    // A new game drops a refused position; once is enough.
    if (first === "ucinewgame" && word(this.#position.at(-1) ?? line) !== first) this.#position.push(line);
    if (first === "uci" || first === "isready") this.#asked.push(first);
    if (first === "debug" || first === "setoption") {
      // No option name begins with a blank.
      const name = first === "debug" ? " debug" : (/\bname\s+(.*?)(\s+value\b|$)/i.exec(line)?.[1] ?? line).toLowerCase();
      // Numbers, true, false, on and off are never refused.
      const counts = /\svalue\s+([-+]?\d+|true|false)$/i.test(line) || (first === "debug" && /\s(on|off)\b/i.test(line));
      this.#options = this.#options.filter((own) => own.line !== line && !(counts && own.name === name));
      this.#options.push({ name, line });
    }
  }

  #interrupt(first) {
    if (first === "ponderhit") {
      // It is meant for the last search, and has no effect on one that does not ponder.
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
    // `stop` is meant for every search, and a new worker gets all of them.
    const queue = this.#queue.map((line, at) => (at > 0 && isSearch(line) ? shortened(line) : line));
    const mustHear = queue.some((line, at) => at < this.#sent && line !== this.#queue[at]);
    this.#queue = queue;
    // An answer requested by an earlier `stop` is on its way, and another worker would start its search again.
    if (mustHear || !isShort(queue[0])) this.#restart(true);
    else this.#flush();
  }

  /** Replaces a worker that has failed. */
  #replace(reason) {
    this.#attempts += 1;
    const remark = `info string the engine was restarted: ${reason}`;
    // The last attempt at a search is to depth 1.
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
   * Replaces the worker: the new one gets the old one's state, and the lines that it had not answered.
   *
   * With `settle`, the running search is not restarted, but answered from its last line, or else by a short search.
   */
  #restart(settle, remark = null) {
    this.#end();
    this.#begin();
    for (const { line } of this.#options) this.#send(line);
    for (const line of this.#position) this.#send(line);
    for (const line of this.#asked) this.#send(line);
    const answer = settle ? this.#lastAnswer() : null;
    if (settle && answer === null) this.#queue[0] = shortened(this.#queue[0]);
    // A search that has been answered is not sent again.
    this.#sent = answer === null ? 0 : 1;
    for (const line of this.#queue) this.#signal(line);
    this.#flush();
    if (answer !== null) this.#answered();
    // At the end, because the listener may send the next line at once.
    if (remark !== null) this.#emit(remark);
    if (answer !== null) this.#emit(answer);
  }

  /** The answer according to the last line of the running search, if there was a line. */
  #lastAnswer() {
    const moves = / pv (.*)$/.exec(this.#pv ?? "")?.[1].split(" ");
    if (moves === undefined) return null;
    return `bestmove ${moves[0]}${moves.length > 1 ? ` ponder ${moves[1]}` : ""}`;
  }
}
