// The build: static files that work in any folder of any host, and the service worker that knows them all.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { defineConfig } from "vite";

// Shared memory, which `stop` needs, is lent only to pages with these.
const headers = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

/** Adds `sw.js` with the list of what the page consists of. */
function offline() {
  let folder;
  return {
    name: "offline",
    apply: "build",
    // After Vite's own plugins, for one of them adds `index.html`.
    enforce: "post",
    configResolved(config) {
      folder = config.publicDir;
    },
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        if (!("index.html" in bundle)) this.error("index.html is not known yet, so the version would not change with it");
        const parts = Object.entries(bundle).map(([name, part]) => [name, part.code ?? part.source]);
        for (const name of readdirSync(folder)) parts.push([name, readFileSync(join(folder, name))]);
        parts.sort(([one], [other]) => (one < other ? -1 : 1));
        const hash = createHash("sha256");
        // Whatever changes needs another version: the old one's files are never asked for again.
        for (const [name, content] of parts) hash.update(name).update(content);
        const files = ["./", ...parts.map(([name]) => name).filter((name) => name !== "index.html")];
        const template = readFileSync(new URL("sw.js", import.meta.url), "utf8");
        const source = template
          .replace("__VERSION__", JSON.stringify(hash.digest("hex").slice(0, 12)))
          .replace("__FILES__", JSON.stringify(files));
        this.emitFile({ type: "asset", fileName: "sw.js", source });
      },
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
