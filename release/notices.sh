#!/usr/bin/env bash
# Writes the notices that must accompany a distributed program:
#
#     release/notices.sh FOLDER PACKAGE TARGET
#
# FOLDER/THIRD-PARTY.txt has the notices of all crates that Cargo.lock puts into the package for that target, of Rust's
# own library, and of the C library if it is linked in. FOLDER/SOURCE.txt says which source the program was made from,
# and where that is if GITHUB_SERVER_URL and GITHUB_REPOSITORY are set. A crate without a licence text is an error,
# unless the text is here.
set -euo pipefail
[ $# -eq 3 ] || { echo "usage: release/notices.sh FOLDER PACKAGE TARGET" >&2; exit 2; }
folder=$(cd "$1" && pwd)
package=$2
target=$3
cd "$(dirname "$0")/.."
script=release/notices.sh
rule=$(printf '=%.0s' {1..100})

# Everything is written elsewhere first: half a list would look like a complete one.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

owed="Those who give you the program must give you this source, too, or say where it is."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
{
  echo "Ibex $version, made for $target, is free software under the GNU General Public License, version 3 or,"
  echo "at your option, any later version (LICENSE). THIRD-PARTY.txt has the notices of what it contains."
  echo
  # A released source may be inside a checkout of something else.
  if [ -z "$(git rev-parse --show-prefix 2>/dev/null || echo none)" ] && commit=$(git rev-parse -q --verify HEAD); then
    changed=""
    [ -z "$(git status --porcelain --untracked-files=no)" ] || changed=", with changes that are not in it"
    if [ -n "${GITHUB_SERVER_URL:-}" ] && [ -n "${GITHUB_REPOSITORY:-}" ]; then
      echo "Its source is at $GITHUB_SERVER_URL/$GITHUB_REPOSITORY/tree/$commit$changed."
    else
      echo "Its source is the commit $commit of Ibex$changed."
      echo "$owed"
    fi
  else
    echo "Its source is that of Ibex $version."
    echo "$owed"
  fi
} >"$scratch/SOURCE.txt"

crates=$(cargo tree --locked --edges normal --target "$target" --package "$package" --prefix none --format '{p}|{l}' |
  sed 's/ (\*)$//; s/ (proc-macro)//' | LC_ALL=C sort -u)
# The folders of all crates' sources. On Windows, separators are doubled in JSON.
sources=$(cargo metadata --locked --format-version 1 --filter-platform "$target" |
  grep -o '"manifest_path":"[^"]*"' | sed 's/^"manifest_path":"//; s/"$//; s|\\\\|/|g; s|/Cargo.toml$||')

# Prints the folder of a crate's source. Its name has the version; with `cargo vendor`, only if there are several.
source_of() {
  local path
  while read -r path; do
    case $path in
      */"$1-$2") echo "$path" && return ;;
      */"$1") if grep -qxF "version = \"$2\"" "$path/Cargo.toml"; then echo "$path" && return; fi ;;
    esac
  done <<<"$sources"
}

# Prints the notices of a crate: its name, its version, its licence.
notices() {
  local path file name has_text=no has_mit=no
  path=$(source_of "$1" "$2")
  [ -n "$path" ] || { echo "$script: the source of $1 $2 is not found" >&2; return 1; }
  shopt -s nocasematch
  for file in "$path"/*MIT*; do [ ! -f "$file" ] || has_mit=yes; done
  # Among alternative licences, MIT's is short and needs only its text.
  case $3 in *"AND Apache"* | *"Apache-2.0 AND"*) has_mit=no ;; esac
  for file in "$path"/*; do
    name=${file##*/}
    [ -f "$file" ] || continue
    case $name in
      LICEN[CS]E*APACHE* | LICEN[CS]E*ZLIB* | LICEN[CS]E*0BSD* | UNLICENSE*) [ $has_mit = no ] || continue ;;
    esac
    case $name in
      LICEN[CS]E* | COPYING* | UNLICENSE*) has_text=yes ;;
      COPYRIGHT* | NOTICE* | AUTHORS*) ;;
      *) continue ;;
    esac
    printf -- '--- %s\n\n' "$name"
    tr -d '\r' <"$file"
    echo
  done
  shopt -u nocasematch
  [ $has_text = no ] || return 0
  # Some crates are published without the text.
  case $3 in
    GPL-3.0-or-later) echo "The text of this licence is in the file LICENSE." ;;
    MIT | *"MIT OR "* | *" OR MIT"* | *MIT/*)
      # Not every crate names its authors.
      name=$(awk '/^authors = \[/ { on = 1 } on { print } on && /\]$/ { exit }' "$path/Cargo.toml" |
        { grep -o '"[^"]*"' || true; } | tr -d '"' | paste -s -d , - | sed 's/,/, /g')
      echo "Copyright (c) ${name:-the authors of $1}"
      echo
      cat release/notices/MIT.txt
      ;;
    *)
      echo "$script: $1 $2 has no text of its licence, and none is known here for '$3'" >&2
      return 1
      ;;
  esac
}

{
  echo "Ibex contains the work of others. These are their notices, for the package $package of the target $target."
  echo
  while IFS='|' read -r crate licence; do
    # The project's own packages. A package without any licence is rejected below.
    case $crate in "ibex v"* | ibex-*) continue ;; esac
    read -r name number _ <<<"$crate"
    number=${number#v}
    printf '%s\n%s\nhttps://crates.io/crates/%s\n\n' "$rule" "$name $number, $licence" "$name/$number"
    notices "$name" "$number" "$licence"
    echo
  done <<<"$crates"

  printf '%s\nThe standard library of %s, MIT OR Apache-2.0\nhttps://www.rust-lang.org\n\n' "$rule" "$(rustc --version)"
  copyright=$(rustc --print sysroot)/share/doc/rust/COPYRIGHT-library.html
  if [ -f "$copyright" ]; then
    sed -E "s/<[^>]*>//g; s/&#39;/'/g; s/&(quot|#34);/\"/g; s/&(lt|#60);/</g; s/&(gt|#62);/>/g; s/&amp;/\&/g" \
      "$copyright" | tr -d '\r' | sed 's/[[:blank:]]*$//' | cat -s
  else
    # The compilers of some systems lack the file.
    echo "$script: $copyright is missing, so THIRD-PARTY.txt has no notices of the crates in Rust's library" >&2
    echo "Copyright (c) The Rust Project Developers (see https://thanks.rust-lang.org)"
    echo
    cat release/notices/MIT.txt
  fi
  case $target in
    *-musl) library=musl ;;
    *-windows-gnu) library=mingw-w64 ;;
    wasm32-wasi*) library=wasi-libc ;;
    # Others belong to the system, and are not linked in.
    *) library="" ;;
  esac
  if [ -n "$library" ]; then
    printf '\n%s\n' "$rule"
    cat "release/notices/$library.txt"
  fi
} >"$scratch/THIRD-PARTY.txt"

cp "$scratch/SOURCE.txt" "$scratch/THIRD-PARTY.txt" "$folder/"
