// The build: static files that work in any folder of any host, and the service worker that knows them all.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

import { defineConfig } from "vite";

// Shared memory, which `stop` needs, is lent only to pages with these.
const headers = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

/** Adds `sw.js` with the list of what the page consists of. */
function offline() {
  return {
    name: "offline",
    apply: "build",
    generateBundle(_, bundle) {
      const files = ["./", ...readdirSync(new URL("public", import.meta.url))];
      const hash = createHash("sha256");
      for (const [name, part] of Object.entries(bundle)) {
        if (name !== "index.html") files.push(name);
        hash.update(name).update(part.code ?? part.source);
      }
      const template = readFileSync(new URL("sw.js", import.meta.url), "utf8");
      const source = template
        .replace("__VERSION__", JSON.stringify(hash.digest("hex").slice(0, 12)))
        .replace("__FILES__", JSON.stringify([...new Set(files)]));
      this.emitFile({ type: "asset", fileName: "sw.js", source });
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [offline()],
  worker: { format: "es" },
  build: { target: "es2022", chunkSizeWarningLimit: 1000 },
  // The package makes its worker by an address beside its own files.
  optimizeDeps: { exclude: ["ibex-chess"] },
  server: { headers, fs: { allow: [".."] } },
  preview: { headers },
});
