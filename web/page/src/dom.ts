// The elements of the page, and small matters of text.

export const byId = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;

export const button = (id: string) => byId<HTMLButtonElement>(id);

export const input = (id: string) => byId<HTMLInputElement>(id);

export const select = (id: string) => byId<HTMLSelectElement>(id);

/** An element with attributes and contents. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string>,
  ...contents: (HTMLElement | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...contents);
  return made;
}

/** Sets the text that describes a picture. */
export function label(picture: Element, text: string): void {
  if (picture.getAttribute("aria-label") !== text) picture.setAttribute("aria-label", text);
}

export const amount = (n: number): string => (n >= 1e6 ? `${(n / 1e6).toFixed(1)}M` : n >= 1e3 ? `${Math.round(n / 1e3)}k` : String(n));
