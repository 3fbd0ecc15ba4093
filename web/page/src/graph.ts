// White's expectation over the game: one point for each analysed position.

const NS = "http://www.w3.org/2000/svg";

/** Draws the graph; `chosen` receives the clicked ply. */
export function drawGraph(svg: SVGSVGElement, values: (number | undefined)[], ply: number, chosen: (ply: number) => void): void {
  const last = Math.max(values.length - 1, 1);
  svg.setAttribute("viewBox", `0 0 ${last} 1`);
  svg.replaceChildren();
  const add = (name: string, attributes: Record<string, string | number>) => {
    const element = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    svg.append(element);
  };
  const known = values.flatMap((value, at) => (value === undefined ? [] : [{ at, value }]));
  if (known.length > 0) {
    const points = known.map(({ at, value }) => `${at},${1 - value}`).join(" ");
    add("polygon", { points: `${known[0]!.at},1 ${points} ${known.at(-1)!.at},1`, class: "white" });
    add("polyline", { points, class: "curve" });
  }
  add("line", { x1: 0, x2: last, y1: 0.5, y2: 0.5, class: "middle" });
  add("line", { x1: ply, x2: ply, y1: 0, y2: 1, class: "here" });
  svg.onclick = (event) => {
    const box = svg.getBoundingClientRect();
    chosen(Math.round(((event.clientX - box.left) / box.width) * last));
  };
}
