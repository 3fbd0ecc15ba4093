#!/usr/bin/env python3
"""Proves again, with Syzygy tables, that one move draws and every other move loses.

    tables.py --tables FOLDER FILE.epd...

For lines of at most as many men as the tables know. Every move in `bm` draws, and every other move loses. How it draws is
proved where the id says so:

- `50 moves`: without the rule every move loses; with the clock at `hmvc` the moves in `bm` last until it ends the game,
  and after every other the winner resets it in time. Distances in the tables may be off by one: two are demanded.
- `perpetual`: the drawing side can give check for ever (or be taken into a stalemate), whatever the answers are. Nothing
  but checks is looked at, so this proof needs no table.

Exit status 1 when a line is wrong. Needs the PyPI package `chess`, and the tables.
"""
import argparse
import sys

import chess
import chess.syzygy

# What the distance to a capture or a pawn's move must leave of the hundred half-moves.
MARGIN = 2


def value(tables, board):
    """From the side to move's view, without the clock: -2 lost, 0 drawn, 2 won."""
    if board.is_checkmate():
        return -2
    if board.is_stalemate() or board.is_insufficient_material():
        return 0
    return tables.probe_wdl(board)


def outcomes(tables, board):
    """Every move with what it is worth to its side: -2, 0 or 2, or None where that is too close to call."""
    clocked = board.halfmove_clock > 0
    result = {}
    for move in board.legal_moves:
        board.push(move)
        worth = -value(tables, board)
        if worth == -2 and clocked and not board.is_checkmate():
            left = 100 - board.halfmove_clock - abs(tables.probe_dtz(board))
            worth = -2 if left >= MARGIN else 0 if left <= -MARGIN else None
        elif abs(worth) == 1:
            worth = None
        result[move] = worth
        board.pop()
    return result


def perpetual(board):
    """Whether the side to move can check for ever: there is a set of positions, this one among them, in each of which some
    check leaves only answers that lead back into the set, or a stalemate."""
    checks, pending = {}, [board.copy(stack=False)]
    while pending:
        position = pending.pop()
        key = position.epd()
        if key in checks:
            continue
        checks[key] = []
        for move in list(position.legal_moves):
            if not position.gives_check(move):
                continue
            position.push(move)
            answers = []
            for answer in position.legal_moves:
                position.push(answer)
                answers.append(None if position.is_stalemate() else position.epd())
                if answers[-1] is not None:
                    pending.append(position.copy(stack=False))
                position.pop()
            checks[key].append(answers)
            position.pop()
            if len(checks) > 100_000:
                return False
    alive, shrinking = set(checks), True
    while shrinking:
        dead = {key for key in alive if not any(all(a is None or a in alive for a in line) for line in checks[key])}
        alive -= dead
        shrinking = bool(dead)
    return board.epd() in alive


def complaint(tables, line):
    """What is wrong with a line, if anything is."""
    board, operations = chess.Board.from_epd(line)
    worth = outcomes(tables, board)
    draws = {move for move, how in worth.items() if how == 0}
    if draws != set(operations["bm"]):
        return f"the moves that draw are {[board.san(move) for move in draws]}"
    if any(how != -2 for move, how in worth.items() if move not in draws):
        return "another move does not lose"
    if "50 moves" in operations["id"] and value(tables, board) != -2:
        return "it is a draw without the clock"
    if "perpetual" in operations["id"] and not perpetual(board):
        return "the checks come to an end"
    return None


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
                    reason = complaint(tables, line)
                    right, wrong = right + (reason is None), wrong + (reason is not None)
                    if reason:
                        print(f"{path}:{number}: {reason}")
    print(f"{right} lines proved, {wrong} wrong")
    return 1 if wrong or not right else 0


if __name__ == "__main__":
    sys.exit(main())
