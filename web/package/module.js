// One instance of the WebAssembly module: lines in, lines out. It has the part of WASI that this needs, and no files.

const SUCCESS = 0;
const NO_FILE = 8;
const NOT_SUPPORTED = 52;

/** The part of WASI that the module uses: a clock, random bytes, and its output. */
function wasi(memory, write) {
  const view = () => new DataView(memory().buffer);
  const calls = {
    clock_time_get(id, _precision, at) {
      // 0 is the time of day, 1 a monotonic clock.
      const ms = id === 0 ? Date.now() : performance.now();
      view().setBigUint64(at, BigInt(Math.round(ms * 1e6)), true);
      return SUCCESS;
    },
    random_get(at, length) {
      // At most 65536 bytes per call; the module needs 16.
      crypto.getRandomValues(new Uint8Array(memory().buffer, at, length));
      return SUCCESS;
    },
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return SUCCESS;
    },
    environ_get: () => SUCCESS,
    sched_yield: () => SUCCESS,
    fd_prestat_get: () => NO_FILE,
    fd_write(fd, pieces, count, written) {
      let total = 0;
      for (let i = 0; i < count; i++) {
        const at = view().getUint32(pieces + 8 * i, true);
        const length = view().getUint32(pieces + 8 * i + 4, true);
        write(fd, new Uint8Array(memory().buffer, at, length));
        total += length;
      }
      view().setUint32(written, total, true);
      return SUCCESS;
    },
    proc_exit(status) {
      throw new Error(`the engine ended itself with status ${status}`);
    },
  };
  return new Proxy(calls, { get: (known, name) => known[name] ?? (() => NOT_SUPPORTED) });
}

/**
 * Starts the engine.
 *
 * @param {WebAssembly.Module} module the compiled `ibex.wasm`
 * @param {(line: string) => void} say receives each line of output
 * @param {() => number} signals what was said during a search: 0 nothing, 1 stop, 2 ponderhit
 * @returns {Promise<(line: string) => boolean>} hears a line; returns when it has been carried out, a search included,
 *   and tells whether the engine goes on
 */
export async function start(module, say, signals) {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let exports;
  // The text after the last line end, of standard output and of standard error.
  const rest = ["", "", ""];
  const write = (fd, bytes) => {
    // A copy, because text cannot be decoded from shared memory, nor kept after the call.
    const lines = (rest[fd] + decoder.decode(bytes.slice())).split("\n");
    rest[fd] = lines.pop();
    for (const line of lines) say(fd === 1 ? line : `info string ${line}`);
  };
  const imports = { ibex: { signals }, wasi_snapshot_preview1: wasi(() => exports.memory, write) };
  exports = (await WebAssembly.instantiate(module, imports)).exports;
  return (line) => {
    const bytes = encoder.encode(line);
    // The address first: allocating may move the memory.
    const at = exports.line(bytes.length);
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    return exports.hear() === 1;
  };
}
