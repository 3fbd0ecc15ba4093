/** The chess engine Ibex: lines of UCI in, lines of UCI out. */
export interface Engine {
  /** Says a line, such as `go movetime 1000`. `quit` ends the engine. */
  postMessage(line: string): void;
  /** Receives each line of output. */
  onmessage: ((line: string) => void) | null;
  /** One more receiver of lines. */
  addMessageListener(listener: (line: string) => void): void;
  removeMessageListener(listener: (line: string) => void): void;
  /** Whether a search has not answered yet. */
  readonly searching: boolean;
  /** Why the engine has been given up; null while it has not. From then on each `go` is answered `bestmove (none)`. */
  readonly failure: string | null;
  /** Ends the engine; it cannot be used afterwards. */
  terminate(): void;
}

export interface LoadOptions {
  /** Where `ibex.wasm` is; beside the package's files if not given. */
  wasmUrl?: string | URL;
  /** The first receiver of lines. */
  onmessage?: (line: string) => void;
  /** Under Node: `false` has the engine do without shared memory, as in a page that is not isolated. */
  shared?: boolean;
}

/** Loads the engine and starts it in a worker. Rejects if `ibex.wasm` cannot be read. */
export function load(options?: LoadOptions): Promise<Engine>;
