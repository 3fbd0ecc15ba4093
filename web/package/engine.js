// The engine as its user sees it: lines in and out, from the thread that has loaded it.
//
// A search keeps the worker busy, so `stop` and `ponderhit` reach it by shared memory as well. Without shared memory, the
// worker that searches is ended and another one takes its place. The same happens to a worker that has failed. The new
// one hears again what the old one knew: options and position.

import { PONDERHITS, STOPS } from "./serve.js";

/** How often a search is begun anew after a failure, before it is given up. */
const ATTEMPTS = 2;

const word = (line) => line.trim().split(/\s+/, 1)[0];

export class Engine {
  #module;
  #makeWorker;
  #shared;
  #worker = null;
  #flags = null;
  #listeners = new Set();
  /** What the worker knows but for the queue: options by name, and the position. */
  #options = new Map();
  #position = null;
  /** The `go` that has no answer yet, and every line behind it. */
  #queue = [];
  /** The last line with moves of the running search. */
  #pv = null;
  #attempts = 0;

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

  /** Says a line of UCI to the engine. */
  postMessage(line) {
    line = String(line).replace(/[\r\n]+/g, " ").trim();
    const first = word(line);
    if (first === "quit") return this.terminate();
    if (this.#worker === null || line === "") return;
    if (this.searching) {
      if (first === "isready") return this.#emit("readyok");
      if (first === "stop" || first === "ponderhit") return this.#interrupt(first);
      this.#queue.push(line);
    } else if (first === "go") {
      this.#queue.push(line);
      this.#pv = null;
      this.#attempts = 0;
    } else {
      this.#remember(line);
    }
    this.#send(line);
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

  #send(line) {
    const first = word(line);
    if (this.#flags !== null && first === "stop") Atomics.add(this.#flags, STOPS, 1);
    if (this.#flags !== null && first === "ponderhit") Atomics.add(this.#flags, PONDERHITS, 1);
    // A worker counts these lines by their plain words.
    this.#worker.send(first === "stop" || first === "ponderhit" ? first : line);
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
    this.#emit(message);
  }

  /** Takes note of the end of a search, and of what the worker hears next. */
  #answered() {
    this.#queue.shift();
    this.#pv = null;
    this.#attempts = 0;
    while (this.searching && word(this.#queue[0]) !== "go") this.#remember(this.#queue.shift());
  }

  #remember(line) {
    const first = word(line);
    if (first === "position") this.#position = line;
    if (first === "setoption") {
      const name = /\bname\s+(.*?)(\s+value\b|$)/i.exec(line)?.[1] ?? line;
      // Again at the end: the last one that was set counts.
      this.#options.delete(name.toLowerCase());
      this.#options.set(name.toLowerCase(), line);
    }
  }

  #interrupt(first) {
    if (this.#flags !== null) {
      this.#queue.push(first);
      return this.#send(first);
    }
    const others = this.#queue.slice(1).some((line) => word(line) === "go");
    this.#restart();
    if (first === "ponderhit") {
      this.#queue[0] = this.#queue[0].replace(/\s+ponder\b/, "");
    } else {
      this.#settle();
    }
    // `stop` is meant for the last search, too.
    if (first === "stop" && others) this.#queue.push(first);
    this.#resume();
  }

  /** Another worker for one that has failed. */
  #replace(reason) {
    this.#restart();
    this.#emit(`info string the engine was restarted: ${reason}`);
    this.#attempts += 1;
    if (this.searching && (this.#pv !== null || this.#attempts > ATTEMPTS)) this.#settle();
    if (!this.searching && this.#attempts > ATTEMPTS) {
      this.#emit("info string the engine cannot run here");
      return this.terminate();
    }
    this.#resume();
  }

  #restart() {
    this.#worker.end();
    this.#begin();
    for (const line of this.#options.values()) this.#send(line);
    if (this.#position !== null) this.#send(this.#position);
  }

  /** Answers for the search that was ended: with its last line, or else with a short search. */
  #settle() {
    const moves = / pv (.*)$/.exec(this.#pv ?? "")?.[1].split(" ");
    if (moves !== undefined) {
      const answer = `bestmove ${moves[0]}${moves.length > 1 ? ` ponder ${moves[1]}` : ""}`;
      this.#answered();
      this.#emit(answer);
    } else {
      this.#queue[0] = "go depth 1";
    }
  }

  /** Says to the new worker what the old one has not answered. */
  #resume() {
    for (const line of this.#queue) this.#send(line);
  }
}
