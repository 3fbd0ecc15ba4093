#![no_main]

#[path = "../../formats/tests/parsers/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::games(bytes));
