// The service worker: the page without a network, and the headers for shared memory on hosts that cannot set them.

const VERSION = __VERSION__;
const FILES = __FILES__;
// Other programs may live on this host, and other copies of this one: only what is of this folder is ours.
const FOLDER = new URL("./", location).pathname;
const OURS = `ibex ${FOLDER} `;
const CACHE = OURS + VERSION;

addEventListener("install", (event) => {
  const store = async () => {
    const isNew = !(await caches.has(CACHE));
    const cache = await caches.open(CACHE);
    try {
      // Not what an earlier visit has left in the browser's own cache.
      await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
    } catch (error) {
      // An empty cache would count as the version before, in place of one that is whole.
      if (isNew) await caches.delete(CACHE);
      throw error;
    }
    // While a host is updated it may have this file already and still the page before.
    const page = await (await cache.match("./", { ignoreVary: true })).text();
    if (!FILES.some((file) => file.endsWith(".js") && page.includes(file.replace(/^\.\//, "")))) {
      await caches.delete(CACHE);
      throw new Error("the page is of another version");
    }
    await skipWaiting();
  };
  event.waitUntil(store());
});

addEventListener("activate", (event) => {
  const clean = async () => {
    // A tab that is open needs the files of its own version, which the host may have removed: the one before stays.
    const others = (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== CACHE);
    for (const name of others.slice(0, -1)) await caches.delete(name);
    await clients.claim();
  };
  event.waitUntil(clean());
});

/** The same answer with the headers that isolate a page. */
function isolated(response) {
  const headers = new Headers(response.headers);
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Embedder-Policy", "require-corp");
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  const visit = request.mode === "navigate";
  // Pages in folders below this one are not this page.
  if (visit && pathname !== FOLDER && pathname !== `${FOLDER}index.html`) return;
  const answer = async () => {
    const wanted = visit ? "./" : request;
    // The present version first: only files that it does not have come from the one before.
    const before = (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== CACHE);
    for (const name of [CACHE, ...before]) {
      const stored = await (await caches.open(name)).match(wanted, { ignoreSearch: true, ignoreVary: true });
      if (stored !== undefined) return isolated(stored);
    }
    return isolated(await fetch(request));
  };
  event.respondWith(answer());
});
