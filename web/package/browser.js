// The engine in a page.

import { Engine } from "./engine.js";
import { compile } from "./module.js";

async function read(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  // If the host does not send the file's type, it cannot be compiled while it arrives.
  return response.arrayBuffer();
}

/** Loads the engine; see index.d.ts. */
export async function load({ wasmUrl = new URL("./ibex.wasm", import.meta.url), onmessage = null } = {}) {
  // Only an isolated page may share memory with its workers.
  const shared = globalThis.crossOriginIsolated === true;
  const module = await compile(await read(wasmUrl), shared);
  const makeWorker = (listener, failed) => {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", (event) => listener(event.data));
    worker.addEventListener("error", (event) => failed(event.message || "its worker failed"));
    return { send: (message) => worker.postMessage(message), end: () => worker.terminate() };
  };
  return new Engine(module, makeWorker, shared, onmessage);
}
