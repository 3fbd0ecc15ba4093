// What a visit keeps for the next one. Where the user has blocked it, even to name the storage is an error.
//
// A tab has its own game. A new tab begins with the last one that any tab has kept.

/** What was kept; null if there is nothing, or no storage. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a text, if the browser does. Without storage the page works, and forgets. */
export function store(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Blocked, or full.
  }
}

/** What this tab has kept, or any tab if this one is new. */
export function recallTab(key: string): string | null {
  try {
    const own = sessionStorage.getItem(key);
    if (own !== null) return own;
  } catch {
    // Blocked.
  }
  return recall(key);
}

/** Keeps a text for this tab, and for tabs to come. */
export function storeTab(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // Blocked, or full.
  }
  store(key, text);
}
