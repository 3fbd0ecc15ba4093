#!/usr/bin/env python3
"""Looks for positions in which one move stands out, in games that Ibex played against itself.

    mine.py --games FILE.vf... --ibex IBEX --engine CMD --engine CMD --out FOLDER [--nodes N] [--second LIMIT]
    mine.py --check FILE.epd... --ibex IBEX --engine CMD --engine CMD [--nodes N] [--second LIMIT]

`FILE.vf` is what `ibex-lab datagen` writes (or a worker's file of a run that goes on). Writes, line by line, `tactics.epd`,
`quiet.epd` and `chess960.epd` into FOLDER until interrupted or out of games. SOURCES.md has the criteria; they are the
functions `tactic` and `quiet` below. Of a game at most one position of each kind is taken.

The filter is cheap first: a jump between two scores of the game (a low-node search missed what the next one then saw), a
very short search by Ibex with two lines, a shallow one that must not find the move, a short one by the first engine; only
then all three search with two lines and N nodes. `--check` repeats that for the lines of a suite; an engine other than
those that SOURCES.md names may disagree with some. Needs the PyPI package `chess`.
"""
import argparse
import itertools
import math
import os
import random
import re
import shlex
import struct
import subprocess
import sys

import chess

ROLES = {0: chess.PAWN, 1: chess.KNIGHT, 2: chess.BISHOP, 3: chess.ROOK, 4: chess.QUEEN, 5: chess.KING, 6: chess.ROOK}
# The first look, by Ibex, and two by the first engine.
FIRST, QUICK, SHORT = "nodes 1500", "nodes 3000", "nodes 20000"
# A mate in n counts as this less n.
MATE = 30_000
INFO = re.compile(
    r"info .*?\bdepth (?P<depth>\d+).*?(?:\bmultipv (?P<line>\d+).*?)?\bscore (?P<kind>cp|mate) (?P<value>-?\d+)"
    r"(?P<bound> (?:lower|upper)bound)?.* pv (?P<move>\S+)"
)
PROMOTIONS = [chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN]


def start_position(header):
    """The board of a game's first 32 bytes."""
    occupied, = struct.unpack_from("<Q", header)
    board = chess.Board(None, chess960=True)
    castling = 0
    for i, square in enumerate(chess.scan_forward(occupied)):
        code = header[8 + i // 2] >> (4 * (i % 2)) & 15
        board.set_piece_at(square, chess.Piece(ROLES[code & 7], not code & 8))
        if code & 7 == 6:
            castling |= chess.BB_SQUARES[square]
    board.castling_rights = castling
    board.turn = not header[24] & 0x80
    board.ep_square = header[24] & 0x7F if header[24] & 0x7F < 64 else None
    board.halfmove_clock, board.fullmove_number = struct.unpack_from("<BH", header, 25)
    return board


def games(path):
    """Each game as its first position and its moves, each with the score of White's view."""
    with open(path, "rb") as file:
        while len(header := file.read(32)) == 32:
            steps = []
            while len(step := file.read(4)) == 4 and step != b"\0\0\0\0":
                steps.append(struct.unpack("<Hh", step))
            if len(step) == 4:
                yield start_position(header), steps


def decode(raw):
    """A move; castling is king takes rook, which is how python-chess plays Chess960."""
    promotion = PROMOTIONS[raw >> 12 & 3] if raw >> 14 == 3 else None
    return chess.Move(raw & 63, raw >> 6 & 63, promotion)


def shuffled(board):
    """Whether castling is possible from squares that standard chess does not know."""
    kings = {board.king(color) for color in chess.COLORS if board.castling_rights & chess.BB_RANKS[0 if color else 7]}
    corners = chess.BB_CORNERS
    return bool(board.castling_rights & ~corners) or not kings <= {chess.E1, chess.E8}


class Player:
    """An engine, asked as if every position were the first."""

    def __init__(self, command):
        self.process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.name, self.chess960, self.multipv = command, False, 1
        self.send("uci")
        for line in iter(self.line, "uciok"):
            if line.startswith("id name "):
                self.name = line[8:]
        self.send("setoption name Hash value 4")

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} has ended")
        return line.strip()

    def search(self, board, limit, multipv):
        """The lines of a search by number, as (score from the side to move's view, first move, depth), and the move."""
        for name, now, then in (("UCI_Chess960", self.chess960, board.chess960), ("MultiPV", self.multipv, multipv)):
            if now != then:
                self.send(f"setoption name {name} value {str(then).lower()}")
        self.chess960, self.multipv = board.chess960, multipv
        for command in ("ucinewgame", f"position fen {board.fen()}", f"go {limit}"):
            self.send(command)
        lines = {}
        while not (line := self.line()).startswith("bestmove"):
            info = INFO.match(line)
            if info and not info["bound"]:
                value = int(info["value"])
                score = value if info["kind"] == "cp" else MATE - value if value > 0 else -MATE - value
                lines[int(info["line"] or 1)] = score, info["move"], int(info["depth"])
        return lines, board.parse_uci(line.split()[1])

    def lines(self, board, limit):
        """The best move, its score, the second line's score, and the depth."""
        lines, best = self.search(board, limit, 2)
        if not {1, 2} <= lines.keys() or board.parse_uci(lines[1][1]) != best:
            return None
        return best, lines[1][0], lines[2][0], lines[1][2]

    def shallow(self, board, depth):
        """The move of a search of few plies."""
        return self.search(board, f"depth {depth}", 1)[1]


def tactic(board, lines, margin):
    """One move wins or saves; it holds the balance at least, the second line does not win as well; no recapture."""
    move, best, second, _ = lines
    recaptures = bool(board.move_stack) and board.is_capture(move) and move.to_square == board.peek().to_square
    return best - second >= margin and best >= -50 and second < 350 and not recaptures


def quiet(board, lines, margin):
    """One move that takes nothing, promotes nothing and gives no check is better, and the game stays in balance."""
    move, best, second, _ = lines
    calm = not board.is_capture(move) and not move.promotion and not board.gives_check(move) and not board.is_check()
    return calm and best - second >= margin and abs(best) <= 200


# The rule; its margins in centipawns in the first two looks and the third, then for Ibex, the first and the second engine;
# depths that must not find the move.
KINDS = {"tactics": (tactic, (90, 140, 100, 150, 100), (1,)), "quiet": (quiet, (15, 35, 5, 30, 5), ())}


def candidates(board, steps, rng):
    """Positions worth a look, as (kind, board): where scores jump, and now and then a quiet one."""
    next_quiet = rng.randrange(4, 20)
    scores = [score for _, score in steps] + [0, 0]
    for ply, (raw, score) in enumerate(steps):
        sign = 1 if board.turn else -1
        if ply > 0 and chess.popcount(board.occupied) >= 7 and board.legal_moves.count() > 3:
            gained = sign * (score - scores[ply - 1])
            lost = sign * (score - scores[ply + 1]) if ply + 1 < len(steps) else 0
            if -200 <= sign * score <= 1000 and (gained >= 200 or lost >= 200):
                yield "tactics", board.copy(stack=1)
            elif ply >= next_quiet and abs(score) <= 150 and not board.is_check():
                next_quiet = ply + rng.randrange(4, 10)
                yield "quiet", board.copy(stack=1)
        move = decode(raw)
        if not board.is_legal(move):
            return
        board.push(move)


def examine(kind, board, ibex, engines, limits):
    """Everyone's best move, Ibex's score and depth, if all agree; or else the name of the check that failed."""
    rule, margins, depths = KINDS[kind]
    first = ibex.lines(board, FIRST)
    if first is None or not rule(board, first, margins[0]):
        return None, "first"
    move = first[0]
    if any(ibex.shallow(board, depth) == move for depth in depths):
        return None, "shallow"
    for limit, margin in ((QUICK, margins[0]), (SHORT, margins[1])):
        short = engines[0].lines(board, limit)
        if short is None or short[0] != move or not rule(board, short, margin):
            return None, limit
    return agree(kind, board, move, ibex, engines, limits)


def agree(kind, board, move, ibex, engines, limits):
    """Whether everyone chooses the move by its margin: as `examine`."""
    rule, margins, _ = KINDS[kind]
    for player, limit, margin in zip((engines[1], engines[0], ibex), (limits[1], limits[0], limits[0]), margins[:1:-1]):
        lines = player.lines(board, limit)
        if lines is None or lines[0] != move or not rule(board, lines, margin):
            return None, player.name
    return lines, None


def check(path, ibex, engines, limits):
    """Asks everyone again about every line of a suite; says who disagrees, and returns how many lines that concerns."""
    wrong = 0
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("#") or not line.strip():
                continue
            board, operations = chess.Board.from_epd(line, chess960="960" in line)
            fates = [agree(kind, board, operations["bm"][0], ibex, engines, limits) for kind in KINDS]
            if all(lines is None for lines, _ in fates):
                wrong += 1
                print(f"{path}:{number}: {', '.join(f'no {kind} for {name}' for kind, (_, name) in zip(KINDS, fates))}")
    return wrong


def epd(board, lines, nodes):
    """The line of EPD; a mate's score is 32767 less two for every move to it, as EPD wants it."""
    move, score, _, depth = lines
    value = score if abs(score) < MATE - 1000 else math.copysign(32_767 - 2 * (MATE - abs(score)), score)
    return board.epd(bm=[move], ce=int(value), acd=depth, acn=nodes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=[])
    parser.add_argument("--check", nargs="+", default=[], help="check these suites again instead")
    parser.add_argument("--ibex", required=True)
    parser.add_argument("--engine", action="append", required=True, help="two strong engines; the first searches most")
    parser.add_argument("--out", default=".")
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--second", help="the second engine's limit, if it does not know `go nodes` (`depth 12`)")
    parser.add_argument("--skip", type=int, default=0, help="skip this many games of each file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--want", nargs="*", default=["tactics=300", "quiet=200", "chess960=60"])
    args = parser.parse_args()
    if len(args.engine) != 2:
        parser.error("two engines must agree")
    if not args.games and not args.check:
        parser.error("nothing to do: neither --games nor --check")
    want = {name: int(number) for name, number in (item.split("=") for item in args.want)}
    os.makedirs(args.out, exist_ok=True)
    ibex, engines = Player(args.ibex), [Player(command) for command in args.engine]
    limits = f"nodes {args.nodes}", args.second or f"nodes {args.nodes}"
    if args.check:
        return int(sum(check(path, ibex, engines, limits) for path in args.check) > 0)
    rng = random.Random(args.seed)
    counts, fates = dict.fromkeys(want, 0), {}
    for path in args.games:
        for board, steps in itertools.islice(games(path), args.skip, None):
            if all(counts[name] >= number for name, number in want.items()):
                return 0
            taken = set()
            for kind, candidate in candidates(board, steps, rng):
                suite = "chess960" if shuffled(candidate) else kind
                if counts.get(suite, 0) >= want.get(suite, 0) or kind in taken:
                    continue
                if suite != "chess960":
                    candidate.chess960 = False
                    if not candidate.is_valid():
                        continue
                lines, failed = examine(kind, candidate, ibex, engines, limits)
                fates[kind, failed] = fates.get((kind, failed), 0) + 1
                if lines:
                    counts[suite] += 1
                    taken.add(kind)
                    with open(os.path.join(args.out, suite + ".epd"), "a", encoding="utf-8") as file:
                        file.write(epd(candidate, lines, args.nodes) + "\n")
                if sum(fates.values()) % 200 == 0:
                    print(counts, fates, file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
