#!/usr/bin/env python3
"""Plays a game between two UCI engines, each given as a command line, and says how it ended: game.py WHITE BLACK"""

import shlex
import sys

import chess
import chess.engine

LIMIT = chess.engine.Limit(nodes=5000)


def main() -> int:
    engines = [chess.engine.SimpleEngine.popen_uci(shlex.split(command), timeout=60) for command in sys.argv[1:3]]
    board = chess.Board()
    try:
        while not board.is_game_over(claim_draw=True):
            played = engines[board.ply() % 2].play(board, LIMIT, game=board.ply() == 0)
            if played.move is None or played.move not in board.legal_moves:
                print(f"illegal move {played.move} in {board.fen()}", file=sys.stderr)
                return 1
            board.push(played.move)
    finally:
        for engine in engines:
            engine.quit()
    outcome = board.outcome(claim_draw=True)
    print(f"game: {outcome.result()}, {outcome.termination.name.lower()}, {board.ply()} plies")
    return 0


if __name__ == "__main__":
    sys.exit(main())
