// The page and its browser: what is kept, what a browser may refuse, widths, and a visit without a network.
//
// `SHOTS` names a folder for pictures.

import assert from "node:assert/strict";
import { appendFileSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { build } from "vite";

import { address, another, context, host, load, open, page, ready, server, skip, type, until } from "../harness/browser.js";

/** A host that goes with its test, also with one that fails: a host that stays would keep the program running. */
async function closing(test, opened) {
  const host = await opened;
  test.after(() => {
    host.closeAllConnections();
    host.close();
  });
  return host;
}

test("the service worker isolates the page on a plain host", { skip }, async () => {
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
});

test("a choice that no longer exists does not affect the others or the game", { skip }, async () => {
  await page.click("#tab-play");
  await page.click("#new-game");
  await type("e4");
  await until("Your move");
  await page.evaluate(() => {
    for (const storage of [localStorage, sessionStorage]) {
      const name = Object.keys(storage).find((name) => name.endsWith(" state"));
      if (name === undefined) continue;
      const kept = JSON.parse(storage.getItem(name));
      Object.assign(kept.choices, { movetime: "2000", hash: "16", gone: "1" });
      storage.setItem(name, JSON.stringify(kept));
    }
  });
  await page.reload();
  await ready();
  assert.equal(await page.inputValue("#movetime"), "1000");
  assert.equal(await page.inputValue("#hash"), "16");
  await type("a3");
  await page.waitForFunction(() => document.querySelectorAll("#moves button").length === 4);
});

test("each tab has its own game", { skip }, async () => {
  const moves = (tab) => tab.textContent("#moves");
  await load("1. e4 e5 *");
  const own = await moves(page);
  const { other, errors } = await another();
  await ready(other);
  // A new tab begins with the last game.
  assert.equal(await moves(other), own);
  await other.fill("#move", "Nf3");
  await other.press("#move", "Enter");
  const elsewhere = await moves(other);
  assert.notEqual(elsewhere, own);
  await page.reload();
  await ready();
  assert.equal(await moves(page), own);
  await other.reload();
  await ready(other);
  assert.equal(await moves(other), elsewhere);
  assert.deepEqual(errors, []);
  await other.close();
});

test("stored texts are named after the page and its folder", { skip }, async () => {
  await page.click("#theme");
  await type("e4");
  await until("Your move");
  const names = await page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]);
  // The harness stores one, too.
  const others = names.filter((name) => name !== "begun" && !name.startsWith("ibex /sub/ "));
  assert.deepEqual(others, []);
  for (const own of ["state", "theme"]) assert.ok(names.includes(`ibex /sub/ ${own}`), names.join());
});

test("the page works without storage, but forgets", { skip }, async () => {
  const { other, errors } = await another(() => {
    for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, name, { get: () => { throw new DOMException("blocked", "SecurityError"); } });
    }
  });
  await ready(other);
  await other.click("#theme");
  assert.match(await other.evaluate(() => document.documentElement.dataset.theme), /^(dark|light)$/);
  await other.fill("#move", "e4");
  await other.press("#move", "Enter");
  await other.waitForFunction(() => document.querySelectorAll("#moves button").length === 2);
  assert.deepEqual(errors, []);
  await other.close();
});

test("the page works if its service worker cannot be installed", { skip }, async (t) => {
  const poor = await closing(t, host("icon.png"));
  const { other, errors } = await another(null, address(poor));
  const begun = Date.now();
  await ready(other);
  assert.ok(Date.now() - begun < 12_000, "the page has not waited for its patience to end");
  assert.equal(await other.evaluate(() => crossOriginIsolated), false);
  assert.equal(await other.locator("#threads-row").evaluate((row) => row.hidden), true);
  assert.equal(await other.inputValue("#threads"), "1");
  await other.fill("#move", "e4");
  await other.press("#move", "Enter");
  await other.waitForFunction(() => document.querySelectorAll("#moves button").length === 2);
  assert.deepEqual(errors, []);
  await other.close();
});

test("an engine that cannot run is reported", { skip }, async () => {
  const script = (broken) => {
    window.broken = broken;
    window.workers = [];
    window.Worker = class extends Worker {
      constructor(...args) {
        super(...args);
        window.workers.push(this);
        if (window.broken) setTimeout(() => this.fall());
      }
      fall() {
        this.dispatchEvent(new ErrorEvent("error", { message: "it fell" }));
      }
    };
  };
  const late = await context.newPage();
  await late.addInitScript(script, false);
  await late.goto(address(server));
  await ready(late);
  await late.click("#tab-play");
  await late.selectOption("#movetime", "10000");
  await late.click("#new-game");
  await late.fill("#move", "e4");
  await late.press("#move", "Enter");
  await late.waitForFunction(() => /thinks/.test(document.querySelector("#status").textContent));
  await late.evaluate(() => {
    window.broken = true;
    window.workers.at(-1).fall();
  });
  const told = (text) =>
    late.waitForFunction((text) => document.querySelector("#status").textContent === text, text, { timeout: 20_000 });
  const end = "The engine cannot run here: it fell. Reload the page to try again; fewer threads or less hash may help.";
  await told(end);
  // Nothing can be begun that would do nothing.
  await late.click("#tab-analyse");
  assert.ok((await late.isDisabled("#analyse")) && (await late.isDisabled("#whole")));
  await late.evaluate(() => document.activeElement.blur());
  await late.keyboard.press(" ");
  assert.equal(await late.textContent("#analyse"), "Analysis off");
  await told(end);
  await late.close();
  const early = await context.newPage();
  await early.addInitScript(script, true);
  await early.goto(address(server));
  await ready(early);
  await early.click("#flip");
  const why = "The engine cannot be loaded: it fell. Reload the page to try again.";
  assert.equal(await early.textContent("#status"), why);
  await early.close();
});

test("any change in a release changes its service worker", { timeout: 120_000 }, async () => {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), "ibex-public-"));
  cpSync(join(root, "public"), folder, { recursive: true });
  const worker = async (plugin) => {
    const config = { root, configFile: join(root, "vite.config.js"), logLevel: "silent", publicDir: folder };
    const { output } = await build({ ...config, plugins: [plugin], build: { write: false } });
    return String(output.find(({ fileName }) => fileName === "sw.js").source);
  };
  const plain = await worker();
  assert.equal(await worker(), plain);
  assert.notEqual(await worker({ name: "title", transformIndexHtml: (html) => html.replace("<title>", "<title>The ") }), plain);
  appendFileSync(join(folder, "icon.svg"), "\n");
  assert.notEqual(await worker(), plain);
  rmSync(folder, { recursive: true, force: true });
  // Each file once, and all of them.
  const files = JSON.parse(/FILES = (.*);/.exec(plain)[1]);
  assert.equal(new Set(files).size, files.length);
  for (const name of ["./", "icon.svg", "icon.png", "manifest.webmanifest"]) assert.ok(files.includes(name), name);
  assert.ok(!files.includes("index.html"));
  assert.ok(files.some((name) => name.endsWith(".wasm")));
});

test("390 pixels are wide enough, light and dark", { skip }, async () => {
  await load("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *");
  await open(1);
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      await page.waitForTimeout(300);
      for (const tab of ["play", "analyse"]) {
        await page.click(`#tab-${tab}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${tab}: ${wide} at ${width}`);
        // What a panel hides at its edge does not widen the page.
        const cut = await page.evaluate((id) => {
          const panel = document.querySelector(id);
          return panel.scrollWidth - panel.clientWidth;
        }, `#panel-${tab}`);
        assert.ok(cut <= 0, `${tab}: ${cut} pixels of the panel are cut off at ${width}`);
        // Phones zoom into a field with smaller letters, and stay there.
        const sizes = await page.evaluate(() =>
          [...document.querySelectorAll("input, textarea, select")].map((field) => [field.id, getComputedStyle(field).fontSize]));
        for (const [id, size] of sizes) assert.ok(parseFloat(size) >= 16 || ["elo", "pgn-file", "use960", "letters"].includes(id), `${id}: ${size}`);
        if (!process.env.SHOTS) continue;
        if (tab === "analyse") await page.click("#analyse");
        await page.waitForTimeout(1500);
        await page.screenshot({ path: join(process.env.SHOTS, `${tab}-${width}-${scheme}.png`), fullPage: true });
        if (tab === "analyse") await page.click("#analyse");
      }
    }
  }
});

test("the page works without a network, and keeps the game", { skip }, async (t) => {
  const own = await closing(t, host());
  const { other, errors } = await another(null, address(own));
  other.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await ready(other);
  await other.fill("#move", "e4");
  await other.press("#move", "Enter");
  await other.waitForFunction(() => document.querySelectorAll("#moves button").length === 2);
  await other.click("#tab-analyse");
  const moves = await other.textContent("#moves");
  own.closeAllConnections();
  await new Promise((resolve) => own.close(resolve));
  await other.reload();
  await ready(other);
  assert.equal(await other.textContent("#moves"), moves);
  await other.click("#analyse");
  await other.waitForFunction(() => /depth ([5-9]|\d\d)/.test(document.querySelector("#speed").textContent));
  assert.deepEqual(errors, []);
  await other.close();
});
