//! The module's stack: the search runs on it, while other systems give the search a thread with a stack of this size.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|families| families.split(',').any(|f| f == "wasm")) {
        println!("cargo::rustc-link-arg=-zstack-size={}", 32 << 20);
    }
}
