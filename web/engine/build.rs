//! The module's stack: the first search thread runs on it, while other systems give it a thread with such a stack. The
//! sizes of the memory, which `web/package/module.js` makes, at the beginning and at most. The C library's start, without
//! which no lock works: `_initialize`, which Rust links only into programs.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|families| families.split(',').any(|f| f == "wasm")) {
        println!("cargo::rustc-link-arg=-zstack-size={}", 32 << 20);
        println!("cargo::rustc-link-arg=-l:crt1-reactor.o");
        println!("cargo::rustc-link-arg=--export=_initialize");
        println!("cargo::rustc-link-arg=--initial-memory={}", 64 << 20);
        println!("cargo::rustc-link-arg=--max-memory={}", 1_u64 << 32);
    }
}
