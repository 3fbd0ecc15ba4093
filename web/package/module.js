// The WebAssembly module: its memory and its instances. One instance hears lines; each of the others runs one thread of
// it at a time, in the same memory. They have the part of WASI that the module uses, and no files.
//
// A new thread cannot get a new worker: the worker that starts it waits for it, and a browser makes a worker only when
// the one that asked for it returns. So the workers are there before, and wait in the pool: an `Int32Array` whose first
// number says how many they are. The number of each is 0 while it is idle, and otherwise the address of its work.

const SUCCESS = 0;
const NO_FILE = 8;
const NOT_SUPPORTED = 52;
/** What `thread-spawn` returns if no worker is idle: the C library's "try again", negated. */
const NO_THREAD = -6;

/** The most workers besides the first that a pool can have: the engine has at most 32 threads. */
export const LARGEST_POOL = 31;
/** The pages of 64 KiB that the module has at the beginning, and at most; `web/engine/build.rs` has the same. */
const FIRST_PAGES = 1024;
const MOST_PAGES = 65536;

/** The type of the module's memory, as the list of its imports has it: a memory with limits that is shared. */
const SHARED = [..."\x03env\x06memory\x02\x03"].map((letter) => letter.charCodeAt(0));

/**
 * Compiles the module for a memory of this kind. A page that is not isolated cannot share memory with its workers, and
 * some browsers then cannot make such a memory at all. The same code runs in a memory that is not shared, without other
 * threads: a bit of its type says which it is.
 */
export function compile(bytes, shared) {
  if (shared) return WebAssembly.compile(bytes);
  const own = new Uint8Array(bytes.slice(0));
  const at = own.findIndex((_, start) => SHARED.every((byte, i) => own[start + i] === byte));
  if (at < 0) throw new Error("this is not Ibex: it imports no memory");
  own[at + SHARED.length - 1] = 1;
  return WebAssembly.compile(own);
}

/** A memory for an engine. Where addresses are scarce, as on phones, it cannot grow as much. */
export function newMemory(shared) {
  for (let maximum = MOST_PAGES; ; maximum /= 2) {
    try {
      return new WebAssembly.Memory({ initial: FIRST_PAGES, maximum, shared });
    } catch (error) {
      if (maximum / 2 < FIRST_PAGES) throw error;
    }
  }
}

/** A pool without workers. */
export const newPool = () => new Int32Array(new SharedArrayBuffer(4 * (1 + LARGEST_POOL)));

/**
 * How long a thread that is to start waits for an idle worker, in milliseconds. A pool has a worker for each thread of
 * the engine, but a thread counts as ended before its worker is idle again: a moment before, and on a busy machine a
 * moment can be long. The engine must have joined that thread: a thread that ends takes the lock of the C library that
 * the one that starts another holds here. So this ends nothing but the wait for a worker that has failed.
 */
const PATIENCE = 10_000;

/** Starts a thread of the module: gives the work at this address to an idle worker, whose number is the thread's. */
function spawn(pool, address) {
  const size = pool === null ? 0 : Atomics.load(pool, 0);
  const begun = performance.now();
  do {
    for (let worker = 1; worker <= size; worker++) {
      if (Atomics.compareExchange(pool, worker, 0, address) === 0) {
        Atomics.notify(pool, worker);
        return worker;
      }
    }
    if (size > 0) Atomics.wait(pool, 0, size, 1);
  } while (size > 0 && performance.now() - begun < PATIENCE);
  return NO_THREAD;
}

/** The part of WASI that the module uses: a clock, random bytes, and its output. */
function wasi(memory, write) {
  const view = () => new DataView(memory.buffer);
  const calls = {
    clock_time_get(id, _precision, at) {
      // 0 is the time of day, 1 a monotonic clock.
      const ms = id === 0 ? Date.now() : performance.now();
      view().setBigUint64(at, BigInt(Math.round(ms * 1e6)), true);
      return SUCCESS;
    },
    random_get(at, length) {
      // At most 65536 bytes per call; the module needs 16. Shared memory cannot be filled at once.
      new Uint8Array(memory.buffer, at, length).set(crypto.getRandomValues(new Uint8Array(length)));
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
        write(fd, new Uint8Array(memory.buffer, at, length));
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
 * An instance of the module.
 *
 * @param {{ module: WebAssembly.Module, memory: WebAssembly.Memory, pool: Int32Array | null }} parts the compiled
 *   `ibex.wasm`, and what its instances share
 * @param {(line: string) => void} say receives each line of output
 * @param {() => number} signals what was said during a search: 0 nothing, 1 stop, 2 ponderhit
 */
async function instance({ module, memory, pool }, say, signals) {
  const decoder = new TextDecoder();
  // The text after the last line end, of standard output and of standard error.
  const rest = ["", "", ""];
  const write = (fd, bytes) => {
    // A copy, because text cannot be decoded from shared memory, nor kept after the call.
    const lines = (rest[fd] + decoder.decode(bytes.slice())).split("\n");
    rest[fd] = lines.pop();
    for (const line of lines) say(fd === 1 ? line : `info string ${line}`);
  };
  const imports = {
    env: { memory },
    ibex: { signals },
    wasi: { "thread-spawn": (address) => spawn(pool, address) },
    wasi_snapshot_preview1: wasi(memory, write),
  };
  return (await WebAssembly.instantiate(module, imports)).exports;
}

/**
 * Starts the engine. The parameters are those of `instance`; without a memory, it gets one that is not shared.
 *
 * @returns {Promise<(line: string) => boolean>} hears a line; returns when it has been carried out, a search included,
 *   and tells whether the engine goes on
 */
export async function start(parts, say, signals) {
  const memory = parts.memory ?? newMemory(false);
  const exports = await instance({ ...parts, memory }, say, signals);
  exports._initialize();
  const encoder = new TextEncoder();
  return (line) => {
    const bytes = encoder.encode(line);
    // The address first: allocating may move the memory.
    const at = exports.line(bytes.length);
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    return exports.hear() === 1;
  };
}

/** Carries out the work that the engine gives to this worker of its pool. It never returns. */
export async function help(parts, worker, say) {
  const { pool } = parts;
  const exports = await instance(parts, say, () => 0);
  for (;;) {
    Atomics.wait(pool, worker, 0);
    exports.wasi_thread_start(worker, Atomics.load(pool, worker));
    Atomics.store(pool, worker, 0);
  }
}
