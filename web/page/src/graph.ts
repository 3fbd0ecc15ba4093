// White's expectation over the game: one point for each analysed position. What is unknown stays grey.

const NS = "http://www.w3.org/2000/svg";

/** What the graph shows. */
interface Course {
  /** White's expectation after each number of moves, where it is known. */
  values: (number | undefined)[];
  /** The place on the board. */
  ply: number;
  /** Marked moves. */
  marks: { at: number; kind: string }[];
  /** Where phases of the game begin. */
  borders: number[];
}

/** Draws the graph; `chosen` receives the clicked ply. */
export function drawGraph(svg: SVGSVGElement, { values, ply, marks, borders }: Course, chosen: (ply: number) => void): void {
  const last = Math.max(values.length - 1, 1);
  svg.setAttribute("viewBox", `0 0 ${last} 1`);
  svg.replaceChildren();
  const add = (name: string, attributes: Record<string, string | number>) => {
    const element = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    svg.append(element);
  };
  for (const run of runs(values, last)) {
    const [from, to] = [run[0]!.at, run.at(-1)!.at];
    const points = run.map(({ at, value }) => `${at},${1 - value}`).join(" ");
    add("rect", { x: from, width: to - from, y: 0, height: 1, class: "black" });
    add("polygon", { points: `${from},1 ${points} ${to},1`, class: "white" });
    add("polyline", { points, class: "curve" });
  }
  add("line", { x1: 0, x2: last, y1: 0.5, y2: 0.5, class: "middle" });
  for (const at of borders) add("line", { x1: at, x2: at, y1: 0, y2: 1, class: "border" });
  // Lines without length, whose round ends are points that no scale distorts.
  for (const { at, kind } of marks) {
    const y = 1 - (values[at] ?? 0.5);
    add("line", { x1: at, x2: at, y1: y, y2: y, class: `mark ${kind}` });
  }
  add("line", { x1: ply, x2: ply, y1: 0, y2: 1, class: "here" });
  svg.onclick = (event) => {
    const box = svg.getBoundingClientRect();
    chosen(Math.round(((event.clientX - box.left) / box.width) * last));
  };
}

interface Point {
  at: number;
  value: number;
}

/** The known values, in runs without a gap. A run of one value reaches half a move to both sides. */
function runs(values: (number | undefined)[], last: number): Point[][] {
  const found: Point[][] = [];
  values.forEach((value, at) => {
    if (value === undefined) return;
    const run = found.at(-1);
    if (run?.at(-1)?.at === at - 1) run.push({ at, value });
    else found.push([{ at, value }]);
  });
  return found.map((run) => {
    const [{ at, value }] = run as [Point];
    if (run.length > 1) return run;
    return [{ at: Math.max(at - 0.5, 0), value }, { at: Math.min(at + 0.5, last), value }];
  });
}
