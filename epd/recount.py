#!/usr/bin/env python3
"""Counts perft suites again with python-chess, a move generator that shares nothing with ours.

    recount.py [--max-leaves N] FILE.epd...

Every `D1 n ;D2 n ...` of every line is compared. Exit status 1 when a count differs. Needs the PyPI package `chess`.
"""
import argparse
import sys

import chess


def leaves(board, depth):
    if depth == 1:
        return board.legal_moves.count()
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += leaves(board, depth - 1)
        board.pop()
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max-leaves", type=int, default=1_000_000, help="skip counts above this")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    compared = wrong = skipped = 0
    for path in args.files:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                fen, *counts = (part.strip() for part in line.split(";"))
                if not counts or fen.startswith("#"):
                    continue
                board = chess.Board(fen, chess960=True)
                for opcode, told in (count.split() for count in counts if count.startswith("D")):
                    if int(told) > args.max_leaves:
                        skipped += 1
                        continue
                    counted = leaves(board, int(opcode[1:]))
                    compared += 1
                    if counted != int(told):
                        wrong += 1
                        print(f"{path}:{number}: {opcode} is {counted}, not {told}")
    print(f"{compared} counts compared, {wrong} wrong, {skipped} skipped")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
