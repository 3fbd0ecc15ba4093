/** The chess engine Ibex: lines of UCI in, lines of UCI out. */
export interface Engine {
  /** Sends a line, such as `go movetime 1000`. `quit` ends the engine. */
  postMessage(line: string): void;
  /** Receives each line of output. */
  onmessage: ((line: string) => void) | null;
  /** Adds a receiver of lines. */
  addMessageListener(listener: (line: string) => void): void;
  removeMessageListener(listener: (line: string) => void): void;
  /** Whether a search is unanswered. */
  readonly searching: boolean;
  /** Why the engine has been given up; null if it has not. From then on, each `go` is answered by `bestmove (none)`. */
  readonly failure: string | null;
  /** Ends the engine; it is unusable afterwards. */
  terminate(): void;
}

export interface LoadOptions {
  /** The address of `ibex.wasm`; by default it is beside the package's files. */
  wasmUrl?: string | URL;
  /** The first receiver of lines. */
  onmessage?: (line: string) => void;
  /** Under Node: `false` makes the engine work without shared memory, on one thread, as in a page that is not isolated. */
  shared?: boolean;
}

/** Loads the engine and starts it in a worker. Rejects if `ibex.wasm` cannot be read. */
export function load(options?: LoadOptions): Promise<Engine>;
