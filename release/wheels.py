#!/usr/bin/env python3
"""Makes a Python wheel of each release archive, beside it, so that `pip install` puts the programs on PATH:

    release/wheels.py [ARCHIVE...]

Without a name, of all archives in target/dist. Nothing is built again: the programs of a wheel are those of its
archive. The programs for Linux are static, so one wheel serves every distribution (manylinux and musllinux). A wheel
depends only on its archive. It needs the package `wheel` (Debian: apt install python3-wheel).
"""

import os
import re
import shutil
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

try:
    from wheel.wheelfile import WheelFile
except ImportError:
    sys.exit("release/wheels.py needs the package `wheel` (Debian: apt install python3-wheel)")

DIST = Path("target/dist")
# The archives for newer processors have none: pip cannot tell processors apart.
PLATFORMS = {
    "linux-x86-64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux-arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "windows-x86-64": "win_amd64",
    "macos-arm64": "macosx_11_0_arm64",
    "macos-x86-64": "macosx_10_12_x86_64",
}
METADATA = """Metadata-Version: 2.1
Name: ibex-chess
Version: {version}
Summary: Ibex, a UCI chess engine whose scores say what they claim, with its laboratory
License: GPL-3.0-or-later
Keywords: chess,chess-engine,uci
Classifier: Environment :: Console
Classifier: Topic :: Games/Entertainment :: Board Games
Requires-Python: >=3.8
Description-Content-Type: text/markdown

`pip install ibex-chess` puts two programs on PATH: `ibex`, a chess engine that speaks UCI, and `ibex-lab`, which
analyses games, runs test suites and more. Nothing else is installed, and nothing is needed.

The score of a position, with [python-chess](https://python-chess.readthedocs.io):

    import chess, chess.engine
    with chess.engine.SimpleEngine.popen_uci("ibex") as engine:
        print(engine.analyse(chess.Board(), chess.engine.Limit(time=1))["score"])
"""
WHEEL = """Wheel-Version: 1.0
Generator: ibex release/wheels.py
Root-Is-Purelib: false
"""


def unpacked(archive: Path, folder: Path) -> Path:
    """Unpacks an archive, and returns the only folder in it."""
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(folder)
            stamp = max(entry.date_time for entry in packed.infolist())
        os.environ["SOURCE_DATE_EPOCH"] = str(seconds(stamp))
    else:
        with tarfile.open(archive) as packed:
            os.environ["SOURCE_DATE_EPOCH"] = str(max(entry.mtime for entry in packed))
            packed.extractall(folder, filter="data")
    (inside,) = folder.iterdir()
    return inside


def seconds(stamp: tuple[int, ...]) -> int:
    """A zip's time, which is UTC in these archives, in seconds since 1970."""
    from calendar import timegm

    return timegm((*stamp, 0, 0, 0))


def make(archive: Path) -> Path | None:
    """Makes the wheel of an archive; None if there is none for its platform."""
    match = re.fullmatch(r"ibex-(\d+\.\d+\.\d+)(?:-([\w.]+))?-((?:linux|windows|macos)-[\w-]+?)(?:\.tar\.gz|\.zip)", archive.name)
    if match is None:
        sys.exit(f"release/wheels.py: {archive.name} is not the name of an archive")
    number, early, target = match.groups()
    if target not in PLATFORMS:
        return None
    # 1.1.0-rc.1 is 1.1.0rc1 in Python.
    version = number + (early or "").replace(".", "")
    name = f"ibex_chess-{version}"
    with tempfile.TemporaryDirectory() as scratch:
        source = unpacked(archive, Path(scratch, "archive"))
        tree = Path(scratch, "wheel")
        scripts, info = tree / f"{name}.data" / "scripts", tree / f"{name}.dist-info"
        (info / "licenses").mkdir(parents=True)
        scripts.mkdir(parents=True)
        suffix = ".exe" if target.startswith("windows") else ""
        for program in ("ibex", "ibex-lab"):
            shutil.copy(source / f"{program}{suffix}", scripts)
            (scripts / f"{program}{suffix}").chmod(0o755)
        for notice in ("LICENSE", "THIRD-PARTY.txt", "SOURCE.txt"):
            shutil.copyfile(source / notice, info / "licenses" / notice)
        tags = [f"Tag: py3-none-{platform}\n" for platform in PLATFORMS[target].split(".")]
        (info / "WHEEL").write_text(WHEEL + "".join(tags))
        (info / "METADATA").write_text(METADATA.format(version=version))
        for path in tree.rglob("*"):
            if path.parent != scripts:
                path.chmod(0o755 if path.is_dir() else 0o644)
        wheel = archive.parent / f"{name}-py3-none-{PLATFORMS[target]}.whl"
        # Under its name it is whole or absent.
        draft = Path(scratch, wheel.name)
        with WheelFile(str(draft), "w") as packed:
            packed.write_files(str(tree))
        shutil.move(draft, wheel)
        return wheel


def main() -> None:
    archives = [Path(name) for name in sys.argv[1:]] or sorted([*DIST.glob("ibex-*.tar.gz"), *DIST.glob("ibex-*.zip")])
    if not archives:
        sys.exit("release/wheels.py: there is no archive in target/dist (make dist)")
    for archive in archives:
        wheel = make(archive)
        if wheel is not None:
            print(f"{wheel.name}, {wheel.stat().st_size} bytes")


if __name__ == "__main__":
    main()
