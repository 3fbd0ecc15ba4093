#!/usr/bin/env bash
# Tests the archives of target/dist by running them:
#
#     release/run.sh [ARCHIVE...]
#
# Every archive: its SHA-256 sum; notices; the bench's node count; a UCI dialogue with CR LF line ends, and the
# archive's version if the commit is tagged with one; a suite of mates by the laboratory, also where the engine hands it
# over, with the same result for all archives. Linux:
# the program alone in an empty root directory; the v3 program on an older processor, where it must refuse in one line.
# The wheel of an archive that runs here: `pip install` into an empty environment, and a game between its programs if
# python-chess is there. Windows under Wine: a game against the program of the Linux archive, if python-chess is there.
# Missing requirements are reported first.
set -euo pipefail
cd "$(dirname "$0")/.."
script=release/run.sh
out=target/dist
suite=epd/mates_few_men.epd

if [ $# -eq 0 ]; then
  shopt -s nullglob
  set -- $out/ibex-*.tar.gz $out/ibex-*.zip
fi
[ $# -gt 0 ] || { echo "$script: there is no archive in $out (make dist)" >&2; exit 1; }

machine=$(uname -s)-$(uname -m)
lacking=""
for archive in "$@"; do
  name=$(basename "$archive")
  case $machine-$name in
    Linux-aarch64-*linux-arm64* | Linux-x86_64-*linux-x86-64*) ;;
    Linux-*linux-arm64*) command -v qemu-aarch64 >/dev/null || lacking+="qemu-aarch64 (Debian: apt install qemu-user) " ;;
    Linux-*linux-* | Linux-[!x]*windows*) lacking+="an x86-64 processor (for $name) " ;;
    *linux-*) lacking+="Linux (for $name) " ;;
    Darwin-x86_64-*macos-arm64*) lacking+="Apple silicon (for $name) " ;;
    Darwin-*macos-*) ;;
    *macos-*) lacking+="macOS (for $name) " ;;
    Linux-*windows* | Darwin-*windows*)
      command -v wine >/dev/null || lacking+="wine (Debian: apt install wine) "
      command -v x86_64-w64-mingw32-gcc >/dev/null || lacking+="x86_64-w64-mingw32-gcc (Debian: apt install gcc-mingw-w64-x86-64) "
      command -v unzip >/dev/null || lacking+="unzip (Debian: apt install unzip) "
      ;;
  esac
done
[ -z "$lacking" ] || { echo "$script: missing: $lacking" >&2; exit 1; }

scratch=$out/scratch/run
rm -rf $scratch
mkdir -p $scratch
export WINEDEBUG=-all
# For a changed tree no version is expected, whatever tag its commit has.
tag=""
if git diff --quiet HEAD 2>/dev/null; then tag=$(git tag --points-at HEAD --list 'v[0-9]*' | head -n 1); fi

for archive in "$@"; do
  name=$(basename "$archive")
  folder=$scratch/${name%.tar.gz}
  folder=${folder%.zip}
  echo "== $name, $(wc -c <"$archive") bytes"
  # An asterisk before the name, as on Windows, marks a file that was read in binary mode.
  recorded=$(awk -v name="$name" '{ sub(/^\*/, "", $2) } $2 == name { print $1 }' "$(dirname "$archive")/SHA256SUMS")
  sum=$({ if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi; } <"$archive")
  [ "${sum%% *}" = "$recorded" ] ||
    { echo "$script: $name: its sum is ${sum%% *}, SHA256SUMS has '$recorded'" >&2; exit 1; }
  runner="" suffix=""
  case $name in
    *.zip) unzip -q "$archive" -d $scratch ;;
    *) tar -xzf "$archive" -C $scratch ;;
  esac
  case $machine-$name in
    Linux-aarch64-*linux-arm64*) ;;
    Linux-*linux-arm64*) runner=qemu-aarch64 ;;
    Linux-*windows* | Darwin-*windows*)
      runner=wine suffix=.exe
      x86_64-w64-mingw32-gcc -shared -O1 -o "$folder/bcryptprimitives.dll" release/bcryptprimitives.c -ladvapi32
      ;;
    *windows*) suffix=.exe ;;
  esac
  ibex="$runner $folder/ibex$suffix" lab="$runner $folder/ibex-lab$suffix"
  for file in README.md CHANGELOG.md LICENSE THIRD-PARTY.txt SOURCE.txt docs/options.md nets/README.md docs/logo.png; do
    [ -s "$folder/$file" ] || { echo "$script: $name lacks $file" >&2; exit 1; }
  done
  # One of each kind: with its own licence text, with the project's, with none; and the standard library.
  for notice in "libbz2-rs-sys [0-9]" "shakmaty [0-9]" "viriformat [0-9]" "The standard library of rustc"; do
    grep -q "^$notice" "$folder/THIRD-PARTY.txt" || { echo "$script: $name: no notices of '$notice'" >&2; exit 1; }
  done
  find "$folder" -name '*.md' | while read -r page; do
    { grep -oE '\]\([^)#:]+[)#]' "$page" || true; } | sed 's/^](//; s/[)#]$//' | while read -r link; do
      [ -e "$(dirname "$page")/$link" ] || { echo "$script: $name: $page links to $link" >&2; exit 1; }
    done
  done

  $ibex bench | tr -d '\r' | tail -n 1 | tee "$folder/bench.txt"
  [ "$(cut -d ' ' -f 1 "$folder/bench.txt")" = "$(cat tests/bench.signature)" ] ||
    { echo "$script: $name: the bench is not $(cat tests/bench.signature)" >&2; exit 1; }

  printf 'uci\r\nisready\r\nposition startpos moves e2e4\r\ngo nodes 20000\r\nquit\r\n' | $ibex | tr -d '\r' >"$folder/uci.txt"
  for line in uciok readyok 'bestmove [a-h][1-8][a-h][1-8]'; do
    grep -q "^$line" "$folder/uci.txt" || { echo "$script: $name: no '$line' in the dialogue" >&2; exit 1; }
  done
  version=$(sed -n 's/^id name Ibex //p' "$folder/uci.txt")
  if [ -n "$tag" ] && [ "${name#"ibex-$version-"}" = "$name" ]; then
    echo "$script: $name: the commit is tagged $tag, and the program calls itself $version" >&2
    exit 1
  fi
  echo "dialogue: $(grep '^bestmove' "$folder/uci.txt")"

  $lab epd $suite --nodes 20000 --jobs 1 --json "$folder/suite.json" >/dev/null
  solved=$(sed -n 's/.*"solved": *\([0-9]*\).*/\1/p' "$folder/suite.json" | head -n 1)
  echo "suite: $solved solved of $suite"
  [ "${solved:-0}" -ge 25 ] || { echo "$script: $name solves ${solved:-none} of $suite" >&2; exit 1; }
  [ "$solved" = "${expected:=$solved}" ] ||
    { echo "$script: $name solves $solved, another archive $expected" >&2; exit 1; }
  # An emulator's program does not start another one of its kind.
  case $runner in
    qemu-*) ;;
    *)
      handed=$($ibex epd $suite --nodes 20000 --jobs 1 2>/dev/null | tr -d '\r' | grep -c . || true)
      [ "$handed" -gt 0 ] || { echo "$script: $name: the engine does not hand over to the laboratory" >&2; exit 1; }
      ;;
  esac

  # The wheels of other systems cannot be installed here.
  wheel=""
  if [ -z "$runner" ] && [ -z "$suffix" ]; then
    case $name in
      *-v3.tar.gz) ;;
      *linux*) wheel=$(ls -t "$(dirname "$archive")"/ibex_chess-*-py3-none-manylinux*"$(uname -m)"*.whl 2>/dev/null | head -n 1 || true) ;;
      *macos*) wheel=$(ls -t "$(dirname "$archive")"/ibex_chess-*-py3-none-macosx*"$(uname -m)".whl 2>/dev/null | head -n 1 || true) ;;
    esac
  fi
  if [ -n "$wheel" ]; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --no-index --disable-pip-version-check "$wheel"
    [ "$(PATH="$folder/venv/bin" ibex bench --signature)" = "$(cat tests/bench.signature)" ] ||
      { echo "$script: $wheel: another bench, or none" >&2; exit 1; }
    PATH="$folder/venv/bin" ibex epd --help >/dev/null
    echo "wheel: installed, the same bench, the laboratory answers"
    if python3 -c 'import chess' 2>/dev/null; then
      PATH="$folder/venv/bin:$PATH" "$(command -v python3)" release/game.py ibex ibex
    else
      echo "no game of the wheel: it needs python-chess (pip install chess)"
    fi
  fi

  case $name in
    *linux*)
      if [ -z "$runner" ] && [ "$(uname -s)" = Linux ]; then
        mkdir "$folder/root"
        cp "$folder/ibex" "$folder/root/"
        enter=chroot
        if [ "$(id -u)" != 0 ]; then
          if sudo -n true 2>/dev/null; then
            enter="sudo chroot"
          elif unshare --map-root-user true 2>/dev/null; then
            enter="unshare --map-root-user chroot"
          else
            enter=""
          fi
        fi
        if [ -n "$enter" ]; then
          [ "$($enter "$folder/root" /ibex bench --signature)" = "$(cat tests/bench.signature)" ] ||
            { echo "$script: $name: another bench, or none, in an empty root directory" >&2; exit 1; }
          echo "an empty root directory: the same bench"
        else
          echo "not tried in an empty root directory: this system allows no user namespaces (unshare), and it needs root"
        fi
      fi
      case $name in
        *-v3.tar.gz)
          if command -v qemu-x86_64 >/dev/null; then
            if qemu-x86_64 -cpu Nehalem "$folder/ibex" bench --signature 2>"$folder/refusal.txt"; then
              echo "$script: $name runs on a processor without AVX2" >&2
              exit 1
            fi
            grep "built for processors with AVX2" "$folder/refusal.txt"
          else
            echo "not tried on a processor without AVX2: no qemu-x86_64 (Debian: apt install qemu-user)"
          fi
          ;;
      esac
      linux=$ibex
      ;;
    *windows*)
      if [ -n "${linux:-}" ] && python3 -c 'import chess' 2>/dev/null; then
        python3 release/game.py "$ibex" "$linux"
      else
        echo "no game: it needs the Linux archive and python-chess (pip install chess)"
      fi
      ;;
  esac
done
