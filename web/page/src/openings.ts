// The names of openings, loaded when the first move is made. `openings.txt` is a tree: each line has moves, which follow
// those of the line above with less indentation, and the name of the position after them, with its code in the
// Encyclopaedia of Chess Openings.

import { Chess } from "chessops/chess";
import { parseSan } from "chessops/san";

import table from "./openings.txt?raw";
import { identity } from "./position";

/** The name of each position that has one. */
const NAMES = new Map<string, string>();

/** The longest line of the table, in plies: later positions have no names. */
let longest = 0;
const positions: { position: Chess; plies: number }[] = [];
for (const line of table.trimEnd().split("\n")) {
  const indentation = line.length - line.trimStart().length;
  const [moves, name] = line.trim().split(" | ") as [string, string];
  const before = positions[indentation - 1];
  const position = before?.position.clone() ?? Chess.default();
  const sans = moves.split(" ");
  for (const san of sans) position.play(parseSan(position, san)!);
  positions[indentation] = { position, plies: (before?.plies ?? 0) + sans.length };
  NAMES.set(identity(position), name);
  longest = Math.max(longest, positions[indentation].plies);
}

/** The code and the name of the last of these positions that has a name, given from the start of a game. */
export const openingOf = (line: Chess[]): string | undefined =>
  line.slice(0, longest + 1).flatMap((position) => NAMES.get(identity(position)) ?? []).at(-1);
