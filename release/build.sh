#!/usr/bin/env bash
# Makes the archives of a release in target/dist, each with its SHA-256 sum:
#
#     release/build.sh [--without-profile] [NAME...]
#
# Names: linux-x86-64, linux-x86-64-v3, linux-arm64, windows-x86-64, windows-x86-64-v3, macos-arm64, macos-x86-64; v3
# is for processors with AVX2 and BMI2. Without a name, everything that this system can make. What is missing is
# reported before anything is built. A target that fails leaves the other archives whole.
#
# A build is profile-guided if its bench can run here: first an instrumented program counts what the bench does, then
# the compiler uses the counts. The bench of every archive must give the node count of tests/bench.signature.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
script=release/build.sh
out=target/dist

# Sets target, the command that runs its programs here, the linker settings, whether Rust's profiler exists for it, and
# the processor that it is built for.
describe() {
  runner="" profiler=yes linker="" linking="" processor=""
  case $1 in
    linux-x86-64 | linux-x86-64-v3) target=x86_64-unknown-linux-musl ;;
    linux-arm64)
      target=aarch64-unknown-linux-musl
      # The linker that comes with Rust, because a Linux system has none for another processor.
      linker=rust-lld
      [ "$(uname -m)" = aarch64 ] || runner=qemu-aarch64
      ;;
    windows-x86-64 | windows-x86-64-v3)
      target=x86_64-pc-windows-gnu profiler=no
      # Without this, the linker writes the time into the program.
      linking="-C link-arg=-Wl,--no-insert-timestamp"
      case $(uname -s) in Linux | Darwin) runner=wine ;; esac
      ;;
    macos-arm64) target=aarch64-apple-darwin ;;
    macos-x86-64) target=x86_64-apple-darwin ;;
    *)
      echo "$script: no target is called '$1'" >&2
      return 1
      ;;
  esac
  suffix=""
  case $1 in windows-*) suffix=.exe ;; esac
  program=ibex$suffix laboratory=ibex-lab$suffix
  case $1 in *-v3) processor="-C target-cpu=x86-64-v3" ;; esac
}

profdata() {
  local own
  own=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin/llvm-profdata
  if [ -x "$own" ]; then echo "$own"; else command -v llvm-profdata-22 || command -v llvm-profdata || true; fi
}

# Prints a line for everything that a target lacks.
missing() {
  describe "$1"
  local need feature
  need() { command -v "$1" >/dev/null || echo "$script: $2 needs '$1' (Debian: apt install $3)"; }
  # If it cannot be made at all, nothing else matters.
  case $(uname -s)-$(uname -m)-$1 in
    Linux-*-linux-* | Darwin-*-macos-x86-64 | Darwin-arm64-macos-*) ;;
    *-linux-*) echo "$script: $1 can be made on Linux only" && return ;;
    Darwin-*-macos-arm64) echo "$script: $1 can be made on Apple silicon only" && return ;;
    *-macos-*) echo "$script: $1 can be made on macOS only" && return ;;
  esac
  [ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ] ||
    echo "$script: $1 needs Rust's library for it (rustup target add $target)"
  if [ $profile = yes ] && [ $profiler = yes ] && [ -z "$(profdata)" ]; then
    echo "$script: $1 needs llvm-profdata (rustup component add llvm-tools; Debian: apt install llvm-22)"
  fi
  case $(uname -s)-$(uname -m)-$1 in
    Linux-x86_64-*) ;;
    Linux-*-linux-x86-64* | Linux-*-windows-*) echo "$script: $1 can be made on an x86-64 processor only" ;;
  esac
  case $1 in
    *-v3)
      # Its bench runs here.
      for feature in avx2 bmi2; do
        [ ! -r /proc/cpuinfo ] || grep -qw $feature /proc/cpuinfo || echo "$script: $1 needs a processor with $feature"
      done
      ;;
  esac
  case $1 in
    linux-* | macos-*)
      command -v gtar >/dev/null || [[ $(tar --version 2>/dev/null) = *"GNU tar"* ]] ||
        echo "$script: $1 needs GNU tar (macOS: brew install gnu-tar)"
      ;;
  esac
  case $1 in
    linux-arm64) [ -z "$runner" ] || need qemu-aarch64 "$1" qemu-user ;;
    windows-*)
      need zip "$1" zip
      [ -z "$runner" ] || need x86_64-w64-mingw32-gcc "$1" gcc-mingw-w64-x86-64
      [ -z "$runner" ] || need wine "$1" wine
      ;;
    macos-x86-64)
      # Its bench runs here.
      [ "$(uname -m)" = x86_64 ] || arch -x86_64 /usr/bin/true 2>/dev/null ||
        echo "$script: $1 needs Rosetta (softwareupdate --install-rosetta)"
      ;;
  esac
}

# Runs the remaining arguments with the compiler's flags in the array. RUSTFLAGS would split paths with blanks.
flagged() {
  local IFS=$'\x1f'
  CARGO_ENCODED_RUSTFLAGS="${flags[*]}" "$@"
}

# The time stamp of all files in an archive, in seconds since 1970: the caller's, else that of the commit. Outside of
# the project's checkout, even inside another one, the first that zip can hold.
time_of_source() {
  if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
    echo "$SOURCE_DATE_EPOCH"
  elif [ -z "$(git rev-parse --show-prefix 2>/dev/null || echo none)" ]; then
    git log -1 --format=%ct
  else
    echo 315532800
  fi
}

# Packs a folder inside another, for the target that describe has set: the archive depends only on the contents of the
# files and on that time, not on the machine.
pack() {
  local stamp epoch
  epoch=$(time_of_source)
  # The builder's umask would go into the archive, and onto the disk of anyone who unpacks it as root.
  chmod -R u=rwX,go=rX,a-s "$1/$2"
  if [ "$suffix" = .exe ]; then
    # tar takes the time as an argument, zip from the files. Not every `touch` or `date` reads seconds since 1970.
    stamp=$(date -u -d "@$epoch" +%Y%m%d%H%M.%S 2>/dev/null || date -u -r "$epoch" +%Y%m%d%H%M.%S)
    TZ=UTC find "$1/$2" -exec touch -t "$stamp" {} +
    # By default, zip uses the order of the file system.
    (cd "$1" && find "$2" | LC_ALL=C sort | TZ=UTC zip -q -X archive -@)
    mv "$1/archive.zip" "$out/$2.zip"
  else
    # GNU tar; macOS has it as gtar.
    "$(command -v gtar || echo tar)" --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" \
      --mode=u=rwX,go=rX --directory "$1" "$2" | gzip -9 --no-name >"$1/archive"
    mv "$1/archive" "$out/$2.tar.gz"
  fi
}

# Builds the programs of one target, packs it, and puts the archive in place when everything is right.
make_one() {
  describe "$1"
  local version folder scratch epoch cargo_home flags profile_data="" signature
  version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
  folder=ibex-$version-$1
  scratch=$out/scratch/$1
  # Times and paths of this system stay out of the archive, so that two runs give the same bytes.
  epoch=$(time_of_source)
  export SOURCE_DATE_EPOCH=$epoch
  # Cargo's folder, even if HOME is not set.
  cargo_home=${CARGO_HOME:-~/.cargo}
  # These are words without blanks, or nothing.
  # shellcheck disable=SC2206
  flags=($linking $processor ${RUSTFLAGS:-})
  flags+=("--remap-path-prefix=$PWD=." "--remap-path-prefix=$cargo_home=cargo")
  export CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_RELEASE_STRIP=symbols
  if [ -n "$linker" ]; then
    export "CARGO_TARGET_$(echo "$target" | tr 'a-z-' 'A-Z_')_LINKER=$linker"
    flags+=(-C link-self-contained=yes)
  fi
  rm -rf "$scratch"
  mkdir -p "$scratch/$folder"
  release/notices.sh "$scratch/$folder" ibex-lab "$target"
  if [ $profile = yes ] && [ $profiler = yes ]; then
    flags+=(-C "profile-generate=$PWD/$scratch/counts")
    # The laboratory is named for its choice of features: with another one, the names in the profile would not be those
    # of the next build, and the counts would be ignored.
    flagged cargo build --release --locked -p ibex -p ibex-lab --bin ibex --target "$target" --target-dir "$out/counting"
    $runner "$out/counting/$target/release/$program" bench | tail -n 1
    profile_data=$PWD/$scratch/ibex.profdata
    "$(profdata)" merge -o "$profile_data" "$scratch/counts"
    flags[${#flags[@]} - 1]="profile-use=$profile_data"
  fi
  flagged cargo build --release --locked -p ibex -p ibex-lab --target "$target" --target-dir "$out/build"
  cp "$out/build/$target/release/$program" "$out/build/$target/release/$laboratory" "$scratch/$folder/"
  # The linker leaves the names of the system's functions, each time in another order.
  if [ "$runner" = wine ]; then x86_64-w64-mingw32-strip "$scratch/$folder/$program" "$scratch/$folder/$laboratory"; fi
  if [ "$runner" = wine ]; then
    # Wine 8 lacks this library; the replacement is beside the program only while it runs here.
    x86_64-w64-mingw32-gcc -shared -O1 -o "$scratch/bcryptprimitives.dll" release/bcryptprimitives.c -ladvapi32
    cp "$scratch/$folder/$program" "$scratch/"
    signature=$(WINEDEBUG=-all $runner "$scratch/$program" bench --signature | tr -d '\r')
  else
    signature=$($runner "$scratch/$folder/$program" bench --signature)
  fi
  if [ "$signature" != "$(cat tests/bench.signature)" ]; then
    echo "$script: $1: its bench is '$signature', tests/bench.signature records $(cat tests/bench.signature)" >&2
    return 1
  fi
  # The pages with everything that they link to, and the suites that they use.
  tar -cf - LICENSE ./*.md docs epd nets/*.md nets/*.svg trainer/README.md | tar -xf - -C "$scratch/$folder"
  if [ -z "$suffix" ]; then
    $runner "$scratch/$folder/$laboratory" manual "$scratch/$folder/manual"
  fi
  pack "$scratch" "$folder"
}

profile=yes
if [ "${1:-}" = --without-profile ]; then
  profile=no
  shift
fi
if [ "${1:-}" = --one ]; then
  make_one "$2"
  exit
fi
# For the test: packs FOLDER/NAME as the archive of that target.
if [ "${1:-}" = --pack ]; then
  describe "$2"
  pack "$3" "$2"
  exit
fi
if [ $# -eq 0 ]; then
  case $(uname -s)-$(uname -m) in
    Linux-x86_64) set -- linux-x86-64 linux-x86-64-v3 linux-arm64 windows-x86-64 windows-x86-64-v3 ;;
    Linux-*) set -- linux-arm64 ;;
    Darwin-x86_64) set -- macos-x86-64 ;;
    Darwin-*) set -- macos-arm64 macos-x86-64 ;;
    *) set -- windows-x86-64 windows-x86-64-v3 ;;
  esac
fi
for name in "$@"; do describe "$name" || exit 1; done
lacking=$(for name in "$@"; do missing "$name"; done)
if [ -n "$lacking" ]; then
  echo "$lacking" | sort -u >&2
  exit 1
fi

mkdir -p $out
failed=()
for name in "$@"; do
  echo "== $name"
  # A separate process, so that a failure ends only this target.
  if [ $profile = yes ]; then options=(); else options=(--without-profile); fi
  if ! "$script" ${options[@]+"${options[@]}"} --one "$name"; then failed+=("$name"); fi
done
(
  cd $out
  shopt -s nullglob
  # Without a file name, both programs would read standard input.
  files=(ibex-*.tar.gz ibex-*.zip)
  [ ${#files[@]} -eq 0 ] || { sha256sum "${files[@]}" 2>/dev/null || shasum -a 256 "${files[@]}"; } | tee SHA256SUMS
)
if [ ${#failed[@]} -gt 0 ]; then
  echo "$script: failed: ${failed[*]}" >&2
  exit 1
fi
