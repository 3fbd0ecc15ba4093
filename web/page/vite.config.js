// The build: static files that work in any folder of any host, and the service worker that knows them all.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
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
        // Notices are for reading; the page does without them.
        const files = Object.entries(bundle).filter(([name]) => !name.endsWith(".txt"));
        const parts = files.map(([name, part]) => [name, part.code ?? part.source]);
        for (const name of readdirSync(folder)) parts.push([name, readFileSync(join(folder, name))]);
        parts.sort(([one], [other]) => (one < other ? -1 : 1));
        const hash = createHash("sha256");
        // Whatever changes needs another version: the old one's files are never asked for again.
        for (const [name, content] of parts) hash.update(name).update(content);
        const names = ["./", ...parts.map(([name]) => name).filter((name) => name !== "index.html")];
        const template = readFileSync(new URL("sw.js", import.meta.url), "utf8");
        const source = template
          .replace("__VERSION__", JSON.stringify(hash.digest("hex").slice(0, 12)))
          .replace("__FILES__", JSON.stringify(names));
        this.emitFile({ type: "asset", fileName: "sw.js", source });
      },
    },
  };
}

/** Adds the licence, the address of the source, and the notices of all that the page contains, the engine's too. */
function notices() {
  const ours = new URL("../package/", import.meta.url);
  return {
    name: "notices",
    apply: "build",
    generateBundle(_, bundle) {
      const packages = new Set();
      for (const part of Object.values(bundle)) {
        // A file of styles has no list of where it is from, but the script that asks for it has.
        for (const id of part.moduleIds ?? []) {
          const found = id.replaceAll("\\", "/").match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/);
          if (found) packages.add(found[0]);
        }
      }
      const texts = [...packages].sort().map((folder) => {
        const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
        if (files.length === 0) this.error(`${name} has no text of its licence`);
        const notice = files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
        return `${name} ${version}, ${license}\nhttps://www.npmjs.com/package/${name}\n\n${notice}\n`;
      });
      if (texts.length === 0) this.error("the page consists of nothing that others have made; is this list right?");
      texts.push(PIECES);
      const emit = (fileName, source) => this.emitFile({ type: "asset", fileName, source });
      const read = (file) => {
        if (!existsSync(new URL(file, ours))) this.error(`web/package/${file} is missing: make web-notices`);
        return readFileSync(new URL(file, ours), "utf8");
      };
      const rule = `${"=".repeat(100)}\n`;
      emit("LICENSE.txt", read("LICENSE"));
      emit("SOURCE.txt", read("SOURCE.txt"));
      const page = texts.map((text) => `${rule}${text}\n`).join("");
      emit("THIRD-PARTY.txt", `The page:\n\n${page}${rule}The engine:\n\n${read("THIRD-PARTY.txt")}`);
    },
  };
}

// chessground, which has them, does not say whose they are; lichess, for which it was made, does.
const PIECES = `The pieces "cburnett", by Colin M. L. Burnett, GPL-2.0-or-later
https://en.wikipedia.org/wiki/User:Cburnett

They are taken here under version 3 of the licence, whose text is in LICENSE.txt.
`;

export default defineConfig({
  base: "./",
  plugins: [offline(), notices()],
  worker: { format: "es" },
  // Without its polyfill, nothing of Vite gets into the page.
  build: { target: "es2022", chunkSizeWarningLimit: 1000, modulePreload: { polyfill: false } },
  // The package makes its worker by an address beside its own files.
  optimizeDeps: { exclude: ["ibex-chess"] },
  server: { headers, fs: { allow: [".."] } },
  preview: { headers },
});
