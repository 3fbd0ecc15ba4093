// Parses the engine's lines.

import type { Evaluation } from "chessops/pgn";

/** A line of analysis; the score is for the side to move. */
export interface Line {
  depth: number;
  number: number;
  cp?: number;
  mate?: number;
  bound?: "lower" | "upper";
  wdl?: [number, number, number];
  nodes: number;
  nps: number;
  time: number;
  hashfull: number;
  pv: string[];
}

/** The kind of statement that a score makes. */
export type Statement = "proved mate" | "recognized" | "proved draw" | "bound" | "evaluation";

/** From these centipawns on, a score of Ibex is proved by a recognizer; there are no tablebases here. */
const RECOGNIZED = 10_000;

/** Reads a line `info … score …`; undefined for any other. */
export function readInfo(text: string): Line | undefined {
  const words = text.split(" ");
  if (words[0] !== "info" || !words.includes("score")) return undefined;
  const after = (word: string) => {
    const at = words.indexOf(word);
    return at < 0 ? undefined : Number(words[at + 1]);
  };
  const at = words.indexOf("wdl");
  const pv = words.indexOf("pv");
  return {
    depth: after("depth") ?? 0,
    number: after("multipv") ?? 1,
    cp: after("cp"),
    mate: after("mate"),
    bound: words.includes("lowerbound") ? "lower" : words.includes("upperbound") ? "upper" : undefined,
    wdl: at < 0 ? undefined : [Number(words[at + 1]), Number(words[at + 2]), Number(words[at + 3])],
    nodes: after("nodes") ?? 0,
    nps: after("nps") ?? 0,
    time: after("time") ?? 0,
    hashfull: after("hashfull") ?? 0,
    pv: pv < 0 ? [] : words.slice(pv + 1),
  };
}

/** The claim of a line's score; never more than the engine claims. */
export function statement(line: Line): Statement {
  if (line.bound !== undefined) return "bound";
  if (line.mate !== undefined) return "proved mate";
  const size = Math.abs(line.cp ?? 0);
  if (size >= RECOGNIZED) return "recognized";
  // Ibex reports this only for certain draws.
  return line.wdl?.[1] === 1000 ? "proved draw" : "evaluation";
}

/** The score from White's view, in pawns: `+0.35`, `#-4`, `≥ +1.20`; a bound of what is certain: `≥ #4`, `≤ 0-1`. */
export function scoreText(line: Line, turn: "white" | "black"): string {
  const sign = turn === "white" ? 1 : -1;
  const atLeast = line.bound === undefined ? "" : (line.bound === "lower") === (sign > 0) ? "≥ " : "≤ ";
  if (line.mate !== undefined) return `${atLeast}#${sign * line.mate}`;
  const value = sign * (line.cp ?? 0);
  if (Math.abs(value) >= RECOGNIZED) return `${atLeast}${value > 0 ? "1-0" : "0-1"}`;
  return `${atLeast}${value < 0 ? "−" : value > 0 ? "+" : ""}${(Math.abs(value) / 100).toFixed(2)}`;
}

/** A line's score as an evaluation of PGN, White's view; undefined for a bound. */
export function evaluation(line: Line, turn: "white" | "black"): Evaluation | undefined {
  if (line.bound !== undefined) return undefined;
  const sign = turn === "white" ? 1 : -1;
  const { depth } = line;
  return line.mate === undefined ? { pawns: (sign * (line.cp ?? 0)) / 100, depth } : { mate: sign * line.mate, depth };
}

/** An evaluation as text: `+0.35`, `#-4`. */
export function evaluationText(evaluation: Evaluation): string {
  if ("mate" in evaluation) return `#${evaluation.mate}`;
  const { pawns } = evaluation;
  if (Math.abs(pawns) >= RECOGNIZED / 100) return pawns > 0 ? "1-0" : "0-1";
  return `${pawns < 0 ? "−" : pawns > 0 ? "+" : ""}${Math.abs(pawns).toFixed(2)}`;
}

/** What is proved about a position, in words; undefined where there is only an evaluation. */
export function verdict(line: Line, turn: "white" | "black"): string | undefined {
  const sides = turn === "white" ? ["White", "Black"] : ["Black", "White"];
  switch (statement(line)) {
    case "proved mate":
      return `Proved win: ${sides[line.mate! > 0 ? 0 : 1]} mates in ${Math.abs(line.mate!)}.`;
    case "recognized":
      return `Known win: ${sides[line.cp! > 0 ? 0 : 1]}.`;
    case "proved draw":
      return "Proved draw.";
    default:
      return undefined;
  }
}

/** The range of a numeric option, from its declaration. */
export function readSpin(text: string): { name: string; min: number; max: number; value: number } | undefined {
  const match = /^option name (.*?) type spin default (-?\d+) min (-?\d+) max (-?\d+)/.exec(text);
  if (match === null) return undefined;
  return { name: match[1]!, value: Number(match[2]), min: Number(match[3]), max: Number(match[4]) };
}
