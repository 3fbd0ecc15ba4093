// The service worker: the page without a network, and the headers for shared memory on hosts that cannot set them.

const VERSION = __VERSION__;
const FILES = __FILES__;

addEventListener("install", (event) => {
  const store = async () => {
    const cache = await caches.open(VERSION);
    // Not what an earlier visit has left in the browser's own cache.
    await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
    await skipWaiting();
  };
  event.waitUntil(store());
});

addEventListener("activate", (event) => {
  const clean = async () => {
    // A tab that is open needs the files of its own version, which the host may have removed: the one before stays.
    const others = (await caches.keys()).filter((name) => name !== VERSION);
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
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  const answer = async () => {
    const cache = await caches.open(VERSION);
    const wanted = request.mode === "navigate" ? "./" : request;
    // The present version first: only files that it does not have come from the one before.
    const anywhere = { ignoreSearch: true };
    const stored = (await cache.match(wanted, anywhere)) ?? (await caches.match(wanted, anywhere));
    return isolated(stored ?? (await fetch(request)));
  };
  event.respondWith(answer());
});
