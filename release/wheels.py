#!/usr/bin/env python3
"""Makes a Python wheel of each release archive, beside it, so that `pip install` puts the programs on PATH:

    release/wheels.py [ARCHIVE...]

Without a name, of all archives in target/dist. Nothing is built again: the programs of a wheel are those of its
archive. The programs for Linux are static, so one wheel serves every distribution (manylinux and musllinux). A wheel
depends only on its archive, and on the version of the package `wheel`, which this needs (Debian: apt install
python3-wheel).
"""

import os
import re
import stat
import sys
import tarfile
import tempfile
import time
import zipfile
from calendar import timegm
from pathlib import Path
from typing import Dict, Optional, Tuple

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


def contents(archive: Path, names: Tuple[str, ...]) -> Tuple[Dict[str, bytes], int]:
    """These files of an archive, from its only folder, and the time of its files in seconds since 1970."""
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as packed:
            entries = {entry.filename.partition("/")[2]: entry for entry in packed.infolist()}
            # A zip's time is UTC in these archives.
            return {name: packed.read(entries[name]) for name in names}, timegm((*entries[names[0]].date_time, 0, 0, 0))
    with tarfile.open(archive) as packed:
        members = {member.name.partition("/")[2]: member for member in packed}
        return {name: packed.extractfile(members[name]).read() for name in names}, int(members[names[0]].mtime)


def make(archive: Path) -> Optional[Path]:
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
    suffix = ".exe" if target.startswith("windows") else ""
    programs = (f"ibex{suffix}", f"ibex-lab{suffix}")
    notices = ("LICENSE", "THIRD-PARTY.txt", "SOURCE.txt")
    files, epoch = contents(archive, programs + notices)
    # For the time of the list of files, which the package writes.
    os.environ["SOURCE_DATE_EPOCH"] = str(epoch)
    info = f"{name}.dist-info"
    tags = "".join(f"Tag: py3-none-{platform}\n" for platform in PLATFORMS[target].split("."))
    entries = [(f"{name}.data/scripts/{program}", 0o755, files[program]) for program in programs]
    entries += [(f"{info}/licenses/{notice}", 0o644, files[notice]) for notice in notices]
    entries += [(f"{info}/WHEEL", 0o644, (WHEEL + tags).encode()), (f"{info}/METADATA", 0o644, METADATA.format(version=version).encode())]
    wheel = archive.parent / f"{name}-py3-none-{PLATFORMS[target]}.whl"
    # Under its name it is whole or absent.
    with tempfile.TemporaryDirectory(dir=archive.parent) as scratch:
        draft = Path(scratch, wheel.name)
        with WheelFile(str(draft), "w") as packed:
            for path, mode, data in entries:
                entry = zipfile.ZipInfo(path, time.gmtime(epoch)[:6])
                entry.external_attr = (stat.S_IFREG | mode) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                packed.writestr(entry, data)
        os.replace(draft, wheel)
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
