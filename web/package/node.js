// The engine under Node.

import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";

import { Engine } from "./engine.js";
import { compile } from "./module.js";

/** Whether this is the URL of a file as a string, as from `import.meta.resolve`. */
const isFile = (url) => typeof url === "string" && url.startsWith("file:");

/** Loads the engine; see index.d.ts. */
export async function load({ wasmUrl = new URL("./ibex.wasm", import.meta.url), onmessage = null, shared = true } = {}) {
  const module = await compile(await readFile(isFile(wasmUrl) ? new URL(wasmUrl) : wasmUrl), shared);
  const makeWorker = (listener, failed) => {
    const worker = new Worker(new URL("./node-worker.js", import.meta.url));
    worker.on("message", listener);
    worker.on("error", (error) => failed(String(error)));
    return { send: (message) => worker.postMessage(message), end: () => worker.terminate() };
  };
  return new Engine(module, makeWorker, shared, onmessage);
}
