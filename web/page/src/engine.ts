// One search at a time: whoever wants the next one ends the last.

import { type Engine, load } from "ibex-chess";

import { type Line, readInfo, readSpin } from "./uci";

export class Searcher {
  /** The limits of numeric options. */
  readonly spins = new Map<string, { min: number; max: number; value: number }>();
  /** The engine's name and version. */
  name = "Ibex";
  /** Receives remarks for the user. */
  onremark: (text: string) => void = () => {};
  /** Is told once why the engine has been given up. */
  onfailure: (reason: string) => void = () => {};

  private options = new Map<string, string>();
  /** How many searches were asked for: the last one counts. */
  private asked = 0;
  private failed = false;
  private running: Promise<string | undefined> | undefined;
  private online: (line: Line) => void = () => {};
  private finish: ((move: string | undefined) => void) | undefined;
  private ready: { resolve: () => void; reject: (error: Error) => void } | undefined;

  private constructor(private readonly engine: Engine) {
    engine.onmessage = (text) => this.hear(text);
  }

  /** Loads the engine and waits until it is ready. Rejects if it cannot be loaded, or cannot run. */
  static async load(): Promise<Searcher> {
    const searcher = new Searcher(await load());
    const ready = new Promise<void>((resolve, reject) => (searcher.ready = { resolve, reject }));
    searcher.engine.postMessage("uci");
    await ready;
    return searcher;
  }

  /** Sets an option, if it has another value. Between searches only. */
  set(name: string, value: string | number | boolean): void {
    const text = String(value);
    if (this.options.get(name) === text) return;
    this.options.set(name, text);
    this.engine.postMessage(`setoption name ${name} value ${text}`);
  }

  newGame(): void {
    this.engine.postMessage("ucinewgame");
  }

  get searching(): boolean {
    return this.running !== undefined;
  }

  /**
   * Searches, after `prepare` has set its options and the last search has ended. Resolves with the best move, which is
   * undefined where there is none, or where somebody else has asked for a search meanwhile.
   */
  async search(position: string, go: string, online: (line: Line) => void, prepare = () => {}): Promise<string | undefined> {
    this.asked += 1;
    const own = this.asked;
    await this.stop();
    if (own !== this.asked) return undefined;
    prepare();
    this.online = online;
    const running = new Promise<string | undefined>((resolve) => (this.finish = resolve));
    this.running = running;
    this.engine.postMessage(position);
    this.engine.postMessage(go);
    return running;
  }

  /** Ends the search, if there is one. */
  async stop(): Promise<void> {
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
    if (text.startsWith("info string ")) return this.onremark(text.slice("info string ".length));
    const line = readInfo(text);
    if (line !== undefined) return this.online(line);
    if (text.startsWith("bestmove")) {
      const move = text.split(" ")[1];
      this.running = undefined;
      this.finish?.(move === undefined || move === "(none)" ? undefined : move);
    }
  }
}
