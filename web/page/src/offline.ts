// The service worker: the page without a network, and shared memory on hosts that cannot set its headers.

import { nameOf } from "./storage";

/** How long the page waits for the service worker before it continues without, in milliseconds. */
const PATIENCE = 15_000;

/**
 * Registers the service worker. If only the worker can isolate the page, reloads the page, once.
 *
 * @returns whether the page is about to be reloaded
 */
export async function isolate(): Promise<boolean> {
  const reloaded = nameOf("reloaded");
  if (!("serviceWorker" in navigator) || import.meta.env.DEV) return false;
  try {
    const registration = await navigator.serviceWorker.register("./sw.js");
    if (crossOriginIsolated) return false;
    if (sessionStorage.getItem(reloaded) !== null) return false;
    if (!(await isActive(registration))) return false;
    sessionStorage.setItem(reloaded, "yes");
  } catch {
    // A private window, or a host without HTTPS: everything but the offline page works.
    return false;
  }
  location.reload();
  return true;
}

/** Waits for an active service worker. There is none if a file is missing, or if the browser lacks space. */
function isActive(registration: ServiceWorkerRegistration): Promise<boolean> {
  return new Promise((resolve) => {
    // If the installation fails, this never happens.
    void navigator.serviceWorker.ready.then(() => resolve(true));
    const { installing } = registration;
    installing?.addEventListener("statechange", () => installing.state === "redundant" && resolve(false));
    setTimeout(() => resolve(false), PATIENCE);
  });
}
