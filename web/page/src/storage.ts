// What a visit keeps for the next one. If the user has blocked storage, even accessing it is an error.
//
// Each tab has its own game. A new tab starts with the last one stored by any tab. All pages of a host share its storage:
// the names say the page and its folder.

/** The name under which a text is stored. */
export function nameOf(key: string): string {
  return `ibex ${new URL("./", location.href).pathname} ${key}`;
}

/** The stored text; null if there is none, or no storage. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(nameOf(key));
  } catch {
    return null;
  }
}

/** Stores a text, if the browser allows it. Without storage, the page works but does not remember. */
export function store(key: string, text: string): void {
  try {
    localStorage.setItem(nameOf(key), text);
  } catch {
    // Blocked, or full.
  }
}

/** What this tab has stored, or any tab if this one is new. */
export function recallTab(key: string): string | null {
  try {
    const own = sessionStorage.getItem(nameOf(key));
    if (own !== null) return own;
  } catch {
    // Blocked.
  }
  return recall(key);
}

/** Stores a text for this tab, and for new tabs. */
export function storeTab(key: string, text: string): void {
  try {
    sessionStorage.setItem(nameOf(key), text);
  } catch {
    // Blocked, or full.
  }
  store(key, text);
}
