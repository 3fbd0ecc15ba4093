#!/usr/bin/env python3
"""Random games and suites through `ibex`, judged by python-chess: what goes in comes out, or is named.

    judge.py IBEX [--games 10000] [--lines 10000] [--seed 1]

Games: short random ones (standard, Chess960, from a FEN) with variations, comments, glyphs, null moves and odd tags, in
many spellings, all in one file. `ibex-lab analyse` must write as many games, each with the same tags, moves, glyphs, comments
and variations as python-chess reads in the plain spelling; a game that it copies unchanged must be named, and only games
into which a word was put that means nothing may be. Suites: positions with a solution beside odd operations; every line
must be counted, and its `id` must read back. Exit status 1 if something was lost. Needs the PyPI package chess.
"""
import argparse
import io
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import chess
import chess.pgn

COMMENTS = ["quiet", "[%clk 0:01:02]", "see (12. e4)", "1-0?", "50% ; not the end", "a  b", "Größe", "[%cal Ge2e4]", "1."]
GLYPHS = [1, 2, 3, 4, 5, 6, 7, 10, 13, 14, 16, 18, 22, 140]
SIGNS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 16: "±", 18: "+-"}
FIGURES = str.maketrans("KQRBN", "♔♕♖♗♘")
NONSENSE = ["Sf3", "hello", "Nf9", "0-0-0-0", "[x]", "}", "e4e5e6", "?\0"]
VALUES = ["A, B", "O'Neil", 'Q "x" Y', "back\\slash", "Ünal", "", "[Event]", "c:\\"]


def grow(rng, node, plies, depth):
    for _ in range(plies):
        board = node.board()
        moves = list(board.legal_moves)
        if not moves:
            return
        null = rng.random() < 0.02 and not board.is_check()
        child = node.add_variation(chess.Move.null() if null else rng.choice(moves))
        decorate(rng, child)
        if depth < 3 and rng.random() < 0.1:
            others = [m for m in moves if m != child.move]
            if others:
                side = node.add_variation(rng.choice(others))
                decorate(rng, side)
                grow(rng, side, rng.randrange(4), depth + 1)
        node = child


def decorate(rng, node):
    if rng.random() < 0.2:
        node.comment = rng.choice(COMMENTS)
    if rng.random() < 0.15:
        node.nags.add(rng.choice(GLYPHS))


def random_game(rng):
    game = chess.pgn.Game()
    kind = rng.random()
    board = chess.Board()
    if kind < 0.1:
        board = chess.Board.from_chess960_pos(rng.randrange(960))
        game.headers["Variant"] = "Chess960"
    elif kind < 0.25:
        for _ in range(rng.randrange(30)):
            moves = list(board.legal_moves)
            if moves:
                board.push(rng.choice(moves))
    if kind < 0.25:
        game.setup(board)
    game.headers["White"] = rng.choice(VALUES)
    game.headers["X"] = rng.choice(VALUES)
    if rng.random() < 0.2:
        game.comment = rng.choice(COMMENTS)
    grow(rng, game, rng.randrange(1, 14), 0)
    game.headers["Result"] = rng.choice(["*", "1-0", "0-1", "1/2-1/2"])
    return game


class Writer:
    """Movetext of a game, every word in a spelling of its own."""

    def __init__(self, rng):
        self.rng, self.words = rng, []

    def move(self, board, move, number):
        rng = self.rng
        if number or rng.random() < 0.1:
            dots = "." if board.turn else rng.choice(["...", "…", ". ..."])
            self.words.append(f"{board.fullmove_number}{dots}" + rng.choice(["", " "]))
        if not move:
            return self.words.append(rng.choice(["--", "Z0", "0000", "@@@@"]))
        san, uci = board.san(move), board.uci(move)
        plain = san.rstrip("+#")
        castles = board.is_castling(move)
        ways = [san, san, san, plain, plain + "+", san.translate(FIGURES), uci]
        if castles:
            ways = [san, san.replace("O", "0"), san.replace("O", "o")]
        elif board.piece_type_at(move.from_square) == chess.PAWN:
            sign = "x" if board.is_capture(move) else "-"
            ways += [uci[:2] + sign + uci[2:], plain.replace("=", ""), plain.replace("x", ""), plain.replace("x", ":")]
            if board.is_en_passant(move):
                ways += [plain + " e.p.", plain + "e.p."]
        else:
            letter = plain[0]
            ways += [f"{letter}{uci[:2]}{sign}{uci[2:]}" for sign in ["-", "x", ""]]
        self.words.append(rng.choice(ways))

    def comment(self, text):
        if text:
            semicolon = self.rng.random() < 0.2
            self.words.append(f"; {text}\n" if semicolon else "{" + self.rng.choice(["", " "]) + text + "}")

    def node(self, board, node, number, others):
        self.move(board, node.move, number)
        for nag in sorted(node.nags):
            sign = SIGNS.get(nag)
            if sign and not self.words[-1].endswith(" e.p.") and self.rng.random() < 0.5:
                self.words[-1] += sign
                if sign not in "!?":
                    self.words[-1] += " "
            else:
                self.words.append(f"${nag}")
        self.comment(node.comment)
        for other in others:
            self.words.append("(")
            self.line(board.copy(), other)
            self.words.append(")")

    def line(self, board, node):
        self.node(board, node, True, [])
        board.push(node.move)
        self.rest(board, node, False)

    def rest(self, board, node, number):
        while node.variations:
            main, others = node.variations[0], node.variations[1:]
            self.node(board, main, number or board.turn, others)
            board.push(main.move)
            number, node = bool(main.comment or others), main


def spell(rng, game):
    writer = Writer(rng)
    writer.comment(game.comment)
    writer.rest(game.board(), game, True)
    nonsense = rng.random() < 0.05
    if nonsense:
        writer.words.insert(rng.randrange(len(writer.words) + 1), rng.choice(NONSENSE))
    result = game.headers["Result"]
    writer.words.append(rng.choice(["½-½", "1/2", result]) if result == "1/2-1/2" else result)
    gaps = rng.choice([[" "], [" ", "\n"], [" ", "\u00a0", "\t", "\n"], [" ", "\r\n"]])
    moves = "".join(word + ("" if word.endswith("\n") else rng.choice(gaps)) for word in writer.words)
    tags = ""
    for name, value in game.headers.items():
        written = value
        if rng.random() < 0.7 or "\\" in value or value.startswith("["):
            written = value.replace("\\", "\\\\").replace('"', '\\"')
        bracket = rng.choice(["[", "[", "[ ", " ["])
        tags += f'{bracket}{name} "{written}"]\n'
    return nonsense, rng.choice(["", "", "\ufeff"]) + tags + rng.choice(["\n", "\n\n", ""]) + moves + "\n\n"


def bare(comment):
    comment = re.sub(r"\[%(eval|ibex)[^]]*\]", " ", comment)
    return re.sub(r"\s+", " ", comment).strip()


def differences(old, new):
    """What stands in `old` and not in `new`."""
    if bare(old.comment) != bare(new.comment):
        yield f"comment {bare(old.comment)!r} is now {bare(new.comment)!r}"
    if not isinstance(old, chess.pgn.Game) and not old.nags <= new.nags:
        yield f"glyphs {sorted(old.nags)} are now {sorted(new.nags)}"
    if len(old.variations) > len(new.variations):
        yield f"{len(old.variations)} lines are now {len(new.variations)}"
    for a, b in zip(old.variations, new.variations):
        if a.move != b.move:
            yield f"move {a.move} is now {b.move}"
        else:
            yield from differences(a, b)


def unescaped(value):
    return re.sub(r'\\(["\\])', r"\1", value)


def check_games(ibex, rng, count, folder):
    games = [random_game(rng) for _ in range(count)]
    spelled = [spell(rng, game) for game in games]
    source, out = folder / "games.pgn", folder / "out.pgn"
    source.write_bytes("".join(text for _, text in spelled).encode())
    done = subprocess.run([ibex, "analyse", source, "--nodes", "1", "--line", "0", "--out", out], capture_output=True)
    said = done.stderr.decode()
    named = {int(n) for n in re.findall(r": game (\d+) \(.*copied unchanged$", said, re.M)}
    # A word in brackets before the first move is kept among the tags, with a remark.
    remarked = {int(n) for n in re.findall(r": game (\d+) \(.*is not a tag: kept as it stands$", said, re.M)}
    faults = []
    written = out.read_bytes().decode()
    # Games that are copied unchanged may have any spelling: they are removed byte for byte, and the others compared.
    for number in sorted(named):
        nonsense, text = spelled[number - 1]
        if not nonsense:
            faults.append(f"game {number} was refused: {text!r}")
        copied = text.strip().strip("\ufeff").strip()
        if copied not in written:
            faults.append(f"game {number} was not copied: {text!r}")
        written = written.replace(copied, "", 1)
    if found := re.search(r"\}\s*\{.*", written):
        faults.append(f"two comments in a row: {found[0]!r}")
    stream = io.StringIO(re.sub(r"^[\ufeff ]+", "", written, flags=re.M))
    for number, (game, (nonsense, text)) in enumerate(zip(games, spelled), 1):
        if number in named:
            continue
        new = chess.pgn.read_game(stream)
        if nonsense and number not in remarked:
            faults.append(f"game {number} has a word that means nothing, and was not named: {text!r}")
        if new is None:
            return faults + [f"game {number} is missing"]
        found = list(differences(game, new)) + [
            f"tag {name} {value!r} is now {new.headers.get(name)!r}"
            for name, value in game.headers.items()
            if unescaped(new.headers.get(name, "missing")) != value
        ]
        faults += [f"game {number}: {found[0]}: {text!r}"] if found else []
    if chess.pgn.read_game(stream) is not None:
        faults.append("there are more games than before")
    return faults


ODD = ["PV: d8h4", "ep", "ce +M1", 'c0 "text; with; semicolons"', "Eco", "acd 7", "ce 31", "01:22:03", 'x-tag "1"',
       "pv Zz9", "noop", 'c9 ""', "hmvc 0", "fmvn 1", r'c1 "a \"b\" c\\"', "sm x", "c2 1; c2 2", "c3 unquoted words"]


def check_lines(ibex, rng, count, folder):
    lines, told = [], []
    for number in range(count):
        board = chess.Board()
        for _ in range(rng.randrange(24)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        if not any(board.legal_moves):
            board = chess.Board()
        move = rng.choice(list(board.legal_moves))
        san = board.san(move)
        best = rng.choice([san, san + "!", board.uci(move), san.rstrip("+#"), san.rstrip("+#") + " +", san.replace("=", "")])
        name = rng.choice([f"n{number}", f"n{number}; b", f"n{number} é"])
        operations = [f"bm {best}", f'id "{name}"'] + rng.sample(ODD, rng.randrange(4))
        rng.shuffle(operations)
        fen = " ".join(board.fen().split()[: rng.choice([4, 4, 6])])
        lines.append(f"{fen} {'; '.join(operations)};{rng.choice(['', '', chr(0)])}{rng.choice(['', chr(13)])}\n")
        told.append((name, board.epd(), [move]))
    suite, out = folder / "suite.epd", folder / "out.epd"
    suite.write_text("".join(lines), encoding="utf-8", newline="")
    done = subprocess.run([ibex, "epd", suite, "--nodes", "1", "--epd-out", out], capture_output=True)
    back = []
    for line in out.read_text(encoding="utf-8").splitlines() if out.exists() else []:
        try:
            board = chess.Board()
            operations = board.set_epd(line)
            back.append((operations.get("id"), board.epd(), operations.get("bm")))
        except ValueError as error:
            back.append(f"{error}: {line}")
    if len(back) != count:
        return [f"{count} lines are {len(back)}: {done.stderr.decode()[:400]}"]
    return [f"{a!r} is now {b!r}: {line!r}" for a, b, line in zip(told, back, lines) if a != b]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ibex", type=Path)
    parser.add_argument("--games", type=int, default=10000)
    parser.add_argument("--lines", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    ibex = arguments.ibex.resolve()
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        # In pieces, so that a million need no more memory.
        for what, check, count in [("games", check_games, arguments.games), ("lines", check_lines, arguments.lines)]:
            for start in range(0, count, 5000):
                piece = Path(folder) / f"{what}{start}"
                piece.mkdir()
                faults += check(ibex, rng, min(5000, count - start), piece)
                for path in piece.iterdir():
                    path.unlink()
    for fault in faults[:20]:
        print(fault)
    print(f"{arguments.games} games and {arguments.lines} lines, seed {arguments.seed}: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
