#!/usr/bin/env python3
"""Proves again, with Syzygy tables, that one move draws and every other move loses.

    tables.py --tables FOLDER FILE.epd...

For lines of at most as many men as the tables know: every move in `bm` draws, no other move does. Exit status 1 when a
line is wrong. Needs the PyPI package `chess`, and the tables.
"""
import argparse
import sys

import chess
import chess.syzygy


def value(tables, board):
    """From the side to move's view: -2 lost, 0 drawn, 2 won."""
    if board.is_checkmate():
        return -2
    if board.is_stalemate() or board.is_insufficient_material():
        return 0
    return tables.probe_wdl(board)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", required=True, help="folder of Syzygy tables")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    right = wrong = 0
    with chess.syzygy.open_tablebase(args.tables) as tables:
        for path in args.files:
            with open(path, encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    if not line.strip() or line.startswith("#"):
                        continue
                    board, operations = chess.Board.from_epd(line)
                    draws, others = set(), set()
                    for move in board.legal_moves:
                        board.push(move)
                        (others, draws)[value(tables, board) == 0].add((move, value(tables, board)))
                        board.pop()
                    if {move for move, _ in draws} == set(operations["bm"]) and all(v == 2 for _, v in others):
                        right += 1
                    else:
                        wrong += 1
                        print(f"{path}:{number}: the moves that draw are {[board.san(move) for move, _ in draws]}")
    print(f"{right} lines proved, {wrong} wrong")
    return 1 if wrong or not right else 0


if __name__ == "__main__":
    sys.exit(main())
