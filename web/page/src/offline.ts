// The service worker: the page without a network, and shared memory on hosts that cannot set its headers.

const RELOADED = "reloaded";

/**
 * Registers the service worker. Where only it can isolate the page, the page is loaded again, once.
 *
 * @returns whether the page is about to be loaded again
 */
export async function isolate(): Promise<boolean> {
  if (!("serviceWorker" in navigator) || import.meta.env.DEV) return false;
  try {
    await navigator.serviceWorker.register("./sw.js");
    if (crossOriginIsolated) return false;
    if (sessionStorage.getItem(RELOADED) !== null) return false;
    sessionStorage.setItem(RELOADED, "yes");
    await navigator.serviceWorker.ready;
  } catch {
    // A private window, or a host without HTTPS: everything but the offline page works.
    return false;
  }
  location.reload();
  return true;
}
