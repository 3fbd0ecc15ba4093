// A browser with the built page, fresh for each test.
//
// `CHROMIUM` names the browser.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, afterEach, before, beforeEach } from "node:test";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

const BROWSER = process.env.CHROMIUM || "/usr/bin/chromium";
const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
/** The initial position. */
export const FIRST = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/** Why the tests cannot run; false if they can. */
export const skip = !existsSync(BROWSER) && `there is no browser at ${BROWSER}`;
const profile = mkdtempSync(join(tmpdir(), "ibex-page-"));
/** The host of the page. */
export let server;
/** All pages of the tests in this file, which share storage. */
export let context;
/** The page of the test. */
export let page;
/** The browser's complaints since the test began: none. */
let complaints = [];

/**
 * A plain host, as on the cheapest web space: no headers but what a file is, and that another request might get it in
 * another form. One file may be missing.
 */
export async function host(missing) {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://localhost").pathname.replace(/^\/sub\//, "") || "index.html";
    try {
      if (path === missing) throw new Error("missing");
      const bytes = await readFile(join(DIST, path));
      response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "application/octet-stream", Vary: "Accept" });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, resolve));
  return server;
}

export const address = (server) => `http://localhost:${server.address().port}/sub/`;

before(async () => {
  if (skip) return;
  server = await host();
  context = await chromium.launchPersistentContext(profile, {
    executablePath: BROWSER,
    viewport: { width: 1280, height: 900 },
    hasTouch: true,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  // Tests switch the analysis on themselves, but for the one of the switch.
  await context.addInitScript(() => {
    try {
      const key = `ibex ${new URL("./", location.href).pathname} analysis`;
      window.switchedOff = () => localStorage.setItem(key, "off");
      if (localStorage.getItem(key) === null) window.switchedOff();
    } catch {
      // A test has blocked storage.
    }
  });
});

beforeEach(async () => {
  if (skip) return;
  await page?.close();
  complaints = [];
  page = await context.newPage();
  // Questions are answered with yes, unless the test answers them.
  const own = page;
  page.on("dialog", (dialog) => own.listenerCount("dialog") === 1 && dialog.accept());
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  // Nothing is kept from the previous test. What this one stores survives when the page is reloaded.
  await page.addInitScript(() => {
    if (sessionStorage.getItem("begun") !== null) return;
    localStorage.clear();
    window.switchedOff();
    sessionStorage.setItem("begun", "yes");
  });
  await page.goto(address(server));
  await ready();
});

afterEach(() => assert.deepEqual(complaints, []));

after(async () => {
  await context?.close();
  server?.close();
  rmSync(profile, { recursive: true, force: true });
});

export const status = () => page.textContent("#status");
export const ready = (which = page) =>
  which.waitForFunction(() => !/Loading|^$/.test(document.querySelector("#status").textContent), null, { timeout: 60_000 });
export const until = (pattern, timeout = 60_000) =>
  page.waitForFunction((text) => new RegExp(text).test(document.querySelector("#status").textContent), pattern, { timeout });
export const wholeGameDone = () =>
  page.waitForFunction(() => document.querySelector("#whole").textContent === "Whole game", null, { timeout: 60_000 });
export const open = (at) => page.locator("details").nth(at).evaluate((details) => (details.open = true));

export async function setUp(fen) {
  await open(0);
  await page.fill("#fen", fen);
  await page.click("#set-fen");
}

/** Makes a move: a click, or a touch, on each of its squares. */
export async function move(from, to, press = (x, y) => page.mouse.click(x, y)) {
  const box = await page.locator("#board cg-board").boundingBox();
  const at = (square) => {
    const size = box.width / 8;
    return [box.x + (square.charCodeAt(0) - 96.5) * size, box.y + (8.5 - Number(square[1])) * size];
  };
  for (const square of [from, to]) await press(...at(square));
}

export async function load(pgn) {
  await open(0);
  await page.fill("#pgn", pgn);
  await page.click("#load-pgn");
}

export async function type(text) {
  await page.fill("#move", text);
  await page.press("#move", "Enter");
}

/** The game as PGN, as its button copies it. */
export async function copied() {
  await page.evaluate(() => {
    Object.defineProperty(navigator.clipboard, "writeText", { configurable: true, value: (text) => (window.copied = text) });
    document.querySelector("#copy-pgn").click();
  });
  return page.evaluate(() => window.copied);
}

/** Another page with its own script, which runs before those of the page. */
export async function another(script, where = address(server)) {
  const other = await context.newPage();
  other.on("dialog", (dialog) => dialog.accept());
  const errors = [];
  other.on("pageerror", (error) => errors.push(String(error)));
  if (script) await other.addInitScript(script);
  await other.goto(where);
  return { other, errors };
}
