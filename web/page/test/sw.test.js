// The service worker by itself, on a host that it shares with other programs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const SOURCE = readFileSync(new URL("../sw.js", import.meta.url), "utf8");
const HOST = "https://host.example";

/** A service worker of this version in the folder `/chess/`, with what a browser gives it; `caches` outlive it. */
function worker(version, caches, served) {
  const listeners = {};
  const fetched = [];
  const address = (wanted) => new URL(wanted.url ?? wanted, `${HOST}/chess/`).href;
  const answer = (wanted) => {
    fetched.push(address(wanted));
    return new Response(served[address(wanted)] ?? "", { status: address(wanted) in served ? 200 : 404 });
  };
  const open = (name) => {
    const entries = caches.get(name) ?? new Map();
    caches.set(name, entries);
    return {
      addAll: async (requests) => {
        // All of them or none.
        const answers = requests.map((request) => [address(request), answer(request)]);
        for (const [file, { ok }] of answers) if (!ok) throw new TypeError(`${file} is not there`);
        for (const [file, response] of answers) entries.set(file, response);
      },
      match: async (wanted) => entries.get(address(wanted))?.clone(),
    };
  };
  const scope = {
    addEventListener: (name, listener) => (listeners[name] = listener),
    location: new URL(`${HOST}/chess/sw.js`),
    caches: {
      open: async (name) => open(name),
      has: async (name) => caches.has(name),
      keys: async () => [...caches.keys()],
      delete: async (name) => caches.delete(name),
    },
    clients: { claim: async () => {} },
    skipWaiting: async () => {},
    fetch: async (request) => answer(request),
    Request: class {
      constructor(file) {
        this.url = new URL(file, `${HOST}/chess/`).href;
      }
    },
  };
  const files = JSON.stringify(["./", `assets/${version}.js`]);
  const source = SOURCE.replace("__VERSION__", JSON.stringify(version)).replace("__FILES__", files);
  new Function(...Object.keys(scope), source)(...Object.values(scope));
  /** Lets an event happen; what the worker answers, or undefined where it leaves the answer to the browser. */
  const happen = async (name, request) => {
    let promise;
    listeners[name]({ request, waitUntil: (work) => (promise = work), respondWith: (work) => (promise = work) });
    return promise;
  };
  const visit = (path) => happen("fetch", { url: HOST + path, method: "GET", mode: "navigate" });
  const load = (path) => happen("fetch", { url: HOST + path, method: "GET", mode: "cors" });
  return { happen, visit, load, fetched };
}

const release = (version) => ({
  [`${HOST}/chess/`]: `<script src="./assets/${version}.js"></script>`,
  [`${HOST}/chess/assets/${version}.js`]: version,
});

async function installed(version, caches) {
  const own = worker(version, caches, release(version));
  await own.happen("install");
  await own.happen("activate");
  own.fetched.length = 0;
  return own;
}

test("it answers only for its own page, without a network, and isolated", async () => {
  const own = await installed("one", new Map());
  for (const path of ["/chess/", "/chess/index.html", "/chess/?game=3"]) {
    const page = await own.visit(path);
    assert.match(await page.text(), /one\.js/);
    assert.equal(page.headers.get("Cross-Origin-Opener-Policy"), "same-origin");
    assert.equal(page.headers.get("Cross-Origin-Embedder-Policy"), "require-corp");
  }
  assert.equal(await (await own.load("/chess/assets/one.js")).text(), "one");
  assert.deepEqual(own.fetched, []);
  for (const path of ["/", "/chess/notes/", "/chess/notes.html", "/other/"]) assert.equal(await own.visit(path), undefined, path);
  for (const request of [
    { url: `${HOST}/chess/`, method: "POST", mode: "navigate" },
    { url: "https://elsewhere.example/chess/", method: "GET", mode: "cors" },
  ]) {
    assert.equal(await own.happen("fetch", request), undefined);
  }
});

test("it removes only its own old caches from its host", async () => {
  const caches = new Map();
  const others = ["another program", "ibex /draughts/ one", "ibex"];
  for (const name of others) caches.set(name, new Map());
  for (const version of ["one", "two", "three"]) await installed(version, caches);
  // A tab of the version before may still be open.
  assert.deepEqual([...caches.keys()].sort(), [...others, "ibex /chess/ three", "ibex /chess/ two"].sort());
  const last = worker("three", caches, {});
  assert.equal(await (await last.load("/chess/assets/two.js")).text(), "two");
  assert.match(await (await last.visit("/chess/")).text(), /three\.js/);
});

test("nothing is installed from a half-updated host", async () => {
  const caches = new Map();
  const own = worker("two", caches, { ...release("two"), [`${HOST}/chess/`]: release("one")[`${HOST}/chess/`] });
  await assert.rejects(own.happen("install"), /another version/);
  assert.deepEqual([...caches.keys()], []);
});

test("a failed installation does not count as the previous version", async () => {
  const caches = new Map();
  await installed("one", caches);
  const { [`${HOST}/chess/assets/two.js`]: _, ...served } = release("two");
  await assert.rejects(worker("two", caches, served).happen("install"), /two\.js is not there/);
  assert.deepEqual([...caches.keys()], ["ibex /chess/ one"]);
  await installed("three", caches);
  const last = worker("three", caches, {});
  assert.equal(await (await last.load("/chess/assets/one.js")).text(), "one");
  // Nor does a failure take away what is there.
  await assert.rejects(worker("three", caches, {}).happen("install"), /is not there/);
  assert.match(await (await last.visit("/chess/")).text(), /three\.js/);
  assert.deepEqual(last.fetched, []);
});
