# A thin wrapper over cargo, with the conventions of OpenBench workers: `make EXE=name` leaves ./name.

EXE ?= ibex
ifeq ($(OS),Windows_NT)
  SUFFIX := .exe
endif
PREFIX ?= /usr/local
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
TARGET := $(EXE:$(SUFFIX)=)$(SUFFIX)
# `tune` makes every parameter of the search a UCI option: on a branch for OpenBench's tuner, write it here.
FEATURES ?=
CHOSEN = $(if $(FEATURES),--features $(FEATURES))
# The laboratory stands beside the engine, which hands its words over. Who chooses a name, like a worker of OpenBench,
# wants the engine alone.
LAB := $(TARGET:ibex$(SUFFIX)=ibex-lab$(SUFFIX))
WITH_LAB = $(filter-out $(TARGET),$(LAB))
# IBEX as seen from another folder. `abspath` would split a path with blanks.
PROGRAM = $(if $(filter /%,$(IBEX))$(findstring :,$(IBEX)),$(IBEX),$(CURDIR)/$(IBEX))
# The laboratory that writes the manual pages for `make install`: what it installs, or another build if that cannot run.
MANUAL ?= $(if $(filter /%,$(LAB))$(findstring :,$(LAB)),$(LAB),./$(LAB))

.PHONY: native portable static pgo dist wheels dist-run release neon wasm-target node web web-notices web-test web-kernels web-pack web-page web-page-test install test bench signature perft micro lint doc ci soak fuzz tables diagram figures match spsa matches clean help

# With -j, too, one goal after the other: `make web web-test` tests what it has built. Cargo uses all processors anyway.
.NOTPARALLEL:

# The fuzzer's targets, and how long each runs; cargo-fuzz needs a nightly toolchain.
FUZZ_TARGETS := line dialogue fen epd games network option annotated
FUZZ_SECONDS ?= 60

# The public test data is at IBEX_SHARED, or beside the checkout. The pages say how the program was built, so the
# user's flags are ignored.
MAKE_FIGURES = env -u CARGO_ENCODED_RUSTFLAGS RUSTFLAGS= cargo build --release --locked -p ibex -p ibex-lab && \
  cargo run --quiet --locked -p ibex-figures -- --ibex "$(or $(CARGO_TARGET_DIR),target)/release/ibex" \
  --build '`cargo build --release`' $(if $(IBEX_SHARED),--shared "$(IBEX_SHARED)") run

# The version of Node that the page's builder needs; the tests of the package need a little less.
NODE = install version 20.19 or later of 20, or 22.12 or later, from https://nodejs.org

# By the environment, so that it applies to the library and its crates, too: flags after `--` reach only the last crate.
native pgo: export RUSTFLAGS += -C target-cpu=native

native: ## Build ./$(EXE) and ./ibex-lab for this machine's processor (the default; what OpenBench calls)
	cargo rustc --release --locked --bin ibex $(CHOSEN) -- --emit link=$(TARGET)
	$(if $(WITH_LAB),cargo rustc --release --locked -p ibex-lab -- --emit link=$(LAB))

portable: ## Build both for any processor of this architecture
	cargo rustc --release --locked --bin ibex $(CHOSEN) -- --emit link=$(TARGET)
	$(if $(WITH_LAB),cargo rustc --release --locked -p ibex-lab -- --emit link=$(LAB))

static: ## Build both without any shared library (Linux; after: rustup target add $$(uname -m)-unknown-linux-musl)
	cargo rustc --release --locked --bin ibex --target $(shell uname -m)-unknown-linux-musl $(CHOSEN) -- --emit link=$(TARGET)
	$(if $(WITH_LAB),cargo rustc --release --locked -p ibex-lab --target $(shell uname -m)-unknown-linux-musl -- --emit link=$(LAB))

pgo: ## Build both for this machine's processor, the engine optimised by a profile of its bench (after: cargo install cargo-pgo; rustup component add llvm-tools)
	cargo pgo run -- --locked --bin ibex $(CHOSEN) -- bench
	cargo pgo optimize build -- --locked --bin ibex $(CHOSEN)
	cp "$(or $(CARGO_TARGET_DIR),target)/$(HOST)/release/ibex$(SUFFIX)" $(TARGET)
	$(if $(WITH_LAB),cargo rustc --release --locked -p ibex-lab -- --emit link=$(LAB))

dist: ## Make the release's archives in target/dist; NAMES=linux-x86-64 makes one (docs/releases.md)
	release/build.sh $(NAMES)

wheels: ## Make Python wheels of the archives in target/dist (Debian: apt install python3-wheel)
	release/wheels.py

dist-run: ## Run the archives of target/dist: sums, bench, dialogue, suite, wheel, empty root, a game under Wine
	release/run.sh

# From nothing, so that no file of another version is among them. The sums at the end are those of all files.
release: node ## Everything of a release but the upload, in target/dist: archives, wheels, npm package, all run; NAMES as for dist (docs/releases.md)
	@python3 -c 'import wheel' || { echo "make release: the wheels need Python's package wheel (Debian: apt install python3-wheel)" >&2; exit 1; }
	@command -v npm >/dev/null || { echo "make release: npm is missing (Debian: apt install npm)" >&2; exit 1; }
	rm -rf target/dist/ibex* target/dist/SHA256SUMS web/package/*.tgz
	release/build.sh $(NAMES)
	release/wheels.py
	release/run.sh
	$(MAKE) web-pack web-test
	cp web/package/ibex-chess-*.tgz target/dist/
	cd target/dist && { command -v sha256sum >/dev/null && sha256sum ibex* || shasum -a 256 ibex*; } > SHA256SUMS
	@cd target/dist && wc -c ibex* && cat SHA256SUMS

neon: ## The tests of the network as an ARM64 program: NEON against scalar (qemu-user; rustup target add aarch64-unknown-linux-musl)
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld \
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER=qemu-aarch64 RUSTFLAGS="-C link-self-contained=yes" \
	  cargo test --locked --profile quick --lib --target aarch64-unknown-linux-musl nnue

wasm-target:
	@test -d "$$(rustc --print sysroot)/lib/rustlib/wasm32-wasip1-threads" \
	  || { echo "WebAssembly is missing: rustup target add wasm32-wasip1-threads" >&2; exit 1; }

node:
	@command -v node >/dev/null || { echo "Node is missing: $(NODE)" >&2; exit 1; }
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)' \
	  || { echo "Node $$(node --version) is too old: $(NODE)" >&2; exit 1; }

web: wasm-target ## Build the engine for browsers and Node, web/package/ibex.wasm (after: rustup target add wasm32-wasip1-threads)
	RUSTFLAGS="-C target-feature=+simd128" CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_RELEASE_STRIP=symbols \
	  cargo build --release --locked -p ibex-web --target wasm32-wasip1-threads
	cp "$(or $(CARGO_TARGET_DIR),target)/wasm32-wasip1-threads/release/ibex_web.wasm" web/package/ibex.wasm
	cp LICENSE web/package/LICENSE

# Everything that is distributed has them beside it.
web-notices:
	cp LICENSE web/package/LICENSE
	release/notices.sh web/package ibex-web wasm32-wasip1-threads

web-test: node web-notices ## Test the package under Node; IBEX=PROGRAM compares it with a native program (after: make web)
	cd web/package && $(if $(IBEX),IBEX="$(PROGRAM)") node --test --test-force-exit

web-kernels: node wasm-target ## The tests of the network as a WebAssembly program: 128-bit vectors against scalar
	CARGO_TARGET_WASM32_WASIP1_THREADS_RUNNER="node --no-warnings web/engine/run-tests.js" \
	  RUSTFLAGS="-C target-feature=+simd128" \
	  cargo test --locked --profile quick --lib --target wasm32-wasip1-threads nnue

web-pack: node web web-notices ## Make the npm package in web/package
	cd web/package && npm pack

web-page: node web web-notices ## Serve the page for play and analysis on http://localhost:4173
	cd web/page && npm ci && npm start

web-page-test: node web web-notices ## Test that page in Chromium; IBEX=PROGRAM compares it with a native program
	cd web/page && npm ci --no-audit --no-fund && CHROMIUM="$${CHROMIUM:-$$(command -v chromium || command -v chromium-browser || command -v google-chrome)}" $(if $(IBEX),IBEX="$(PROGRAM)") npm test

# The existing build is kept: `make pgo` or `make portable` may have made it, and root may have no cargo.
install: TO = $(DESTDIR)$(PREFIX)
install: ## Install ./$(EXE) (built first if it is not there) and the ibex-lab beside it, licence, manual pages, completions and logo under PREFIX (/usr/local), DESTDIR before it; MANUAL=PROGRAM is an ibex-lab that writes the pages where that one cannot run
	test -f "$(TARGET)" || $(MAKE) native
	@# The manual first, so that half an install is none. The tree may belong to another user, and not be writable.
	@manual=$$(mktemp -d) && trap 'rm -rf "$$manual"' EXIT \
	  && { "$(MANUAL)" manual "$$manual/pages" || { rm -rf "$$manual/pages"; \
	    echo "make install: WITHOUT manual pages and completions: $(MANUAL) writes none here (MANUAL=PROGRAM names another)" >&2; }; } \
	  && install -d "$(TO)/bin" "$(TO)/share/doc/ibex" "$(TO)/share/pixmaps" \
	  && install -m 755 "$(TARGET)" "$(TO)/bin/ibex" \
	  && if [ -n "$(WITH_LAB)" ] && [ -f "$(LAB)" ]; then install -m 755 "$(LAB)" "$(TO)/bin/ibex-lab"; fi \
	  && install -m 644 LICENSE "$(TO)/share/doc/ibex/" \
	  && install -m 644 docs/logo.png "$(TO)/share/pixmaps/ibex.png" \
	  && if [ -d "$$manual/pages" ]; then \
	    install -d "$(TO)/share/man/man1" "$(TO)/share/bash-completion/completions" \
	      "$(TO)/share/zsh/site-functions" "$(TO)/share/fish/vendor_completions.d" \
	    && install -m 644 "$$manual"/pages/man/* "$(TO)/share/man/man1/" \
	    && for name in ibex ibex-lab; do \
	      install -m 644 "$$manual/pages/completions/$$name.bash" "$(TO)/share/bash-completion/completions/$$name" \
	      && install -m 644 "$$manual/pages/completions/_$$name" "$(TO)/share/zsh/site-functions/_$$name" \
	      && install -m 644 "$$manual/pages/completions/$$name.fish" "$(TO)/share/fish/vendor_completions.d/$$name.fish" \
	      || exit 1; \
	    done; \
	  fi

test: ## Run every test
	cargo test --workspace --locked

bench: ## Search the fixed positions: the node count is the signature, the rate is the speed
	cargo run --release --locked -- bench

signature: ## Record the bench's node count, after a change that is meant to change it
	cargo run --release --locked -- bench --signature > tests/bench.signature.new
	mv tests/bench.signature.new tests/bench.signature

perft: ## Check the project's own perft suites
	cargo run --release --locked -p ibex-lab -- perft epd/perft.epd epd/perft960.epd

micro: ## Time the parts: moves, table, evaluation, exchanges
	cargo bench --locked

lint: ## Formatting and clippy
	cargo fmt --check
	cargo clippy --locked --workspace --all-targets -- -D warnings

doc: ## The documentation of the library, warnings as errors
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --exclude ibex-web --no-deps

ci: ## Everything that a change must pass
	.ci/run

soak: ## The long runs: storms, readers, table, model checker, sanitizers, an hour of search; hours
	.ci/soak

fuzz: ## Each fuzzing target for FUZZ_SECONDS, from the project's own seeds (cargo install cargo-fuzz)
	IBEX_FUZZ_CORPUS="$(CURDIR)/fuzz/corpus" cargo test --locked -p ibex-formats --test parsers -- --ignored seeds_for_the_fuzzer
	@for target in $(FUZZ_TARGETS); do \
	  cargo +nightly fuzz run $$target -- -max_total_time=$(FUZZ_SECONDS) -max_len=4000 -timeout=20 -rss_limit_mb=4096 \
	    -print_final_stats=1 > fuzz/$$target.log 2>&1 \
	    || { tail -n 30 fuzz/$$target.log; echo "fuzz: $$target FAILED"; exit 1; }; \
	  echo "fuzz: $$target $$(sed -n 's/stat::number_of_executed_units: */executions /p' fuzz/$$target.log)"; \
	done

tables: ## Solve the endings of src/recognize/solved again
	IBEX_WRITE_TABLES=1 cargo test --release --locked --lib the_tables_are_those_of_the_solver

diagram: ## Draw the modules again, after a change of what uses what (docs/modules.md)
	IBEX_WRITE_DIAGRAM=1 cargo test --locked --test source diagram

figures: ## Measure the figures of docs/ that are not of the current engine; figures-PART measures one part
	$(MAKE_FIGURES)

figures-%:
	$(MAKE_FIGURES) $*

match: ## Play the commit NEW against OLD by SPRT and record the result, with CHANGE="what it does" (ARGS="--tc 8+0.08" for a clock)
	cargo run --quiet --locked -p ibex-figures -- $(if $(IBEX_SHARED),--shared "$(IBEX_SHARED)") match \
	  --new $(or $(NEW),HEAD) --old $(or $(OLD),HEAD~1) $(if $(CHANGE),--change "$$CHANGE") $(ARGS)
	$(MAKE) matches

spsa: ## Tune the search by games: continues docs/record/tuning.txt (ARGS="--minutes 60"; CONTRIBUTING.md, "Tuning")
	cargo build --quiet --release --locked --features tune --bin ibex --target-dir target/tune
	cargo run --quiet --locked -p ibex-figures -- $(if $(IBEX_SHARED),--shared "$(IBEX_SHARED)") \
	  --ibex target/tune/release/ibex tune $(ARGS)

matches: ## Write the tables of docs/record/matches.md again, after a change of docs/record/matches.csv
	IBEX_WRITE_MATCHES=1 cargo test --locked --test source matches

clean: ## Remove what was built
	cargo clean

help: ## This list
	@sed -n "s/^\([a-z-]*\):[a-z -]* ## /\1$$(printf '\t')/p" Makefile | sed 's|\$$\$$|$$|g; s|\$$(EXE)|$(EXE)|g'
