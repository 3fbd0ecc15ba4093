// What a visit keeps for the next one. Where the user has blocked it, even to name the storage is an error.

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
