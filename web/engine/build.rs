//! The stack of the module: the search runs on it, where other systems give it a thread with as much.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|families| families.split(',').any(|f| f == "wasm")) {
        println!("cargo::rustc-link-arg=-zstack-size={}", 32 << 20);
    }
}
