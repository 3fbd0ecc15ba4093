// One search at a time: a new one ends the previous one.

import { type Engine, load } from "ibex-chess";

import { type Line, readInfo, readSpin } from "./uci";

/** The beginning of the engine's message that there is no position to search. */
const REFUSED = "no position: ";

export class Searcher {
  /** The ranges of numeric options. */
  readonly spins = new Map<string, { min: number; max: number; value: number }>();
  /** The engine's name and version. */
  name = "Ibex";
  /** Receives remarks for the user. */
  onremark: (text: string) => void = () => {};
  /** Called once with the reason if the engine is given up. */
  onfailure: (reason: string) => void = () => {};

  private options = new Map<string, string>();
  /** How often a search or its end was requested: the last request counts. */
  private asked = 0;
  /** Why the engine refused the position of the last search, if it did. */
  private reason: string | undefined;
  private isNewGame = false;
  private failed = false;
  private running: Promise<string | undefined> | undefined;
  private online: (line: Line) => void = () => {};
  private finish: ((move: string | undefined) => void) | undefined;
  private ready: { resolve: () => void; reject: (error: Error) => void } | undefined;

  private constructor(private readonly engine: Engine) {
    engine.onmessage = (text) => this.hear(text);
  }

  /** Loads the engine and waits until it is ready. Rejects if the engine cannot be loaded, or cannot run. */
  static async load(): Promise<Searcher> {
    const searcher = new Searcher(await load());
    const ready = new Promise<void>((resolve, reject) => (searcher.ready = { resolve, reject }));
    searcher.engine.postMessage("uci");
    await ready;
    return searcher;
  }

  /** Sets an option if its value differs. Only between searches. */
  set(name: string, value: string | number | boolean): void {
    const text = String(value);
    if (this.options.get(name) === text) return;
    this.options.set(name, text);
    this.engine.postMessage(`setoption name ${name} value ${text}`);
  }

  /** The next search belongs to another game. */
  newGame(): void {
    this.isNewGame = true;
  }

  /** Why the position of the last search was refused; undefined if it was not. */
  get refusal(): string | undefined {
    return this.reason;
  }

  /**
   * Searches, after `prepare` has set its options and the last search has ended. Resolves to the best move, which is
   * undefined if there is none, or if another search or a stop was requested meanwhile.
   */
  async search(position: string, go: string, online: (line: Line) => void, prepare = () => {}): Promise<string | undefined> {
    this.asked += 1;
    const own = this.asked;
    await this.end();
    if (own !== this.asked) return undefined;
    if (this.isNewGame) this.engine.postMessage("ucinewgame");
    this.isNewGame = false;
    prepare();
    this.reason = undefined;
    this.online = online;
    const running = new Promise<string | undefined>((resolve) => (this.finish = resolve));
    this.running = running;
    this.engine.postMessage(position);
    this.engine.postMessage(go);
    return running;
  }

  /** Ends the search, if there is one, and drops one that waits for the end of another. */
  stop(): Promise<void> {
    this.asked += 1;
    return this.end();
  }

  private async end(): Promise<void> {
    while (this.running !== undefined) {
      const running = this.running;
      this.online = () => {};
      this.engine.postMessage("stop");
      await running;
    }
  }

  private hear(text: string): void {
    if (text === "uciok") return this.ready?.resolve();
    if (this.engine.failure !== null && !this.failed) {
      this.failed = true;
      this.ready?.reject(new Error(this.engine.failure));
      this.onfailure(this.engine.failure);
    }
    if (text.startsWith("id name ")) this.name = text.slice("id name ".length);
    const spin = readSpin(text);
    if (spin !== undefined) this.spins.set(spin.name, spin);
    if (text.startsWith("info string ")) {
      const remark = text.slice("info string ".length);
      if (remark.startsWith(REFUSED)) {
        // The FEN in quotes is already known.
        this.reason = remark.slice(REFUSED.length).replace(/ '[^']*'/, "");
        // The answer to `go infinite` waits for it even here.
        this.engine.postMessage("stop");
      }
      return this.onremark(remark);
    }
    const line = readInfo(text);
    if (line !== undefined) return this.online(line);
    if (text.startsWith("bestmove")) {
      const move = text.split(" ")[1];
      this.running = undefined;
      this.finish?.(move === undefined || move === "(none)" ? undefined : move);
    }
  }
}
