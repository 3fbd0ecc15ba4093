// The engine in a page.

import { Engine } from "./engine.js";

async function compile(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  // If the host does not send the file's type, it cannot be compiled while it arrives.
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Loads the engine; see index.d.ts. */
export async function load({ wasmUrl = new URL("./ibex.wasm", import.meta.url), onmessage = null } = {}) {
  const module = await compile(wasmUrl);
  const makeWorker = (listener, failed) => {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", (event) => listener(event.data));
    worker.addEventListener("error", (event) => failed(event.message || "its worker failed"));
    return { send: (message) => worker.postMessage(message), end: () => worker.terminate() };
  };
  // Only an isolated page may share memory with its workers.
  return new Engine(module, makeWorker, globalThis.crossOriginIsolated === true, onmessage);
}
