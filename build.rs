//! Sets the crate's version, and embeds the network of `nets/` (or of the variable `EVALFILE`), checked, aligned and
//! in the target's byte order.

#[path = "src/checksum.rs"]
mod checksum;
#[allow(dead_code, reason = "the crate writes networks, too")]
#[path = "src/eval/nnue/format.rs"]
mod format;
#[path = "build/version.rs"]
mod version;

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/checksum.rs");
    println!("cargo::rerun-if-changed=src/eval/nnue/format.rs");
    println!("cargo::rustc-env=IBEX_VERSION={}", version());

    // What `compiler` prints at the prompt.
    let compiler = env::var("RUSTC")
        .ok()
        .and_then(|rustc| Command::new(rustc).arg("--version").output().ok())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map_or_else(|| "an unknown compiler".to_owned(), |version| version.trim().to_owned());
    println!("cargo::rustc-env=IBEX_RUSTC={compiler}");
    println!("cargo::rustc-env=IBEX_TARGET={}", env::var("TARGET").unwrap_or_default());

    println!("cargo::rerun-if-changed=nets");
    println!("cargo::rerun-if-env-changed=EVALFILE");
    if let Err(why) = find_network().and_then(|path| {
        println!("cargo::rerun-if-changed={}", path.display());
        embed(&path)
    }) {
        println!("cargo::error={why}");
    }
}

/// The version that the program reports. Watches what that depends on.
fn version() -> String {
    // The log of HEAD grows with every commit and every change of branch; tags come and go without it, and the
    // sources may have changed.
    let watched = ["logs/HEAD", "refs/tags", "packed-refs"].map(|path| git(&["rev-parse", "--git-path", path]));
    let sources = ["src", "Cargo.toml", "Cargo.lock"].map(|path| Some(path.to_owned()));
    for path in watched.into_iter().chain(sources).flatten().filter(|path| Path::new(path).exists()) {
        println!("cargo::rerun-if-changed={path}");
    }
    let (version, is_unknown) = version::version(env!("CARGO_PKG_VERSION"), Path::new(".git").exists(), git);
    if is_unknown {
        println!("cargo::warning=git does not name the commit (git status says why), so the version is {version}");
    }
    version
}

/// The output of git, if it succeeds.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().map(|line| line.trim().to_owned())
}

/// The network to embed: the one named, or the only one in `nets/`.
fn find_network() -> Result<PathBuf, String> {
    if let Some(path) = env::var_os("EVALFILE").filter(|path| !path.is_empty()) {
        return Ok(path.into());
    }
    // Macs leave `._` files beside others on foreign disks.
    let is_hidden = |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
    let mut networks: Vec<PathBuf> = fs::read_dir("nets")
        .map_err(|error| format!("cannot read nets/: {error}"))?
        .flatten()
        .filter(|entry| !is_hidden(entry))
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ibxn"))
        .collect();
    networks.sort();
    match networks.len() {
        1 => Ok(networks.remove(0)),
        0 => Err("nets/ holds no network, and EVALFILE names none".to_owned()),
        several => Err(format!("nets/ holds {several} networks; the one that ships must be the only one")),
    }
}

/// Checks a network file and writes it as Rust. Errors read like those of `Network::load`.
fn embed(path: &Path) -> Result<(), String> {
    let shown = path.display();
    let unread = |why: &dyn std::fmt::Display| format!("cannot read network {shown}: {why}");
    let unfit = |why: &dyn std::fmt::Display| format!("network {shown} does not fit: {why}");
    let about = fs::metadata(path).map_err(|error| unread(&error))?;
    // Reading a device may never end, and reading a pipe may never begin.
    if !about.is_file() {
        return Err(unread(&"it is not a file"));
    }
    if about.len() > format::MAX_SIZE as u64 {
        return Err(unfit(&format_args!("{} bytes are too many", about.len())));
    }
    let bytes = fs::read(path).map_err(|error| unread(&error))?;
    let network = format::read(&bytes).map_err(|error| unfit(&error))?;
    let big_endian = env::var("CARGO_CFG_TARGET_ENDIAN").is_ok_and(|endian| endian == "big");
    let aligned: Vec<u8> = network
        .weights
        .iter()
        .flat_map(|weight| if big_endian { weight.to_be_bytes() } else { weight.to_le_bytes() })
        .collect();
    // A network goes by the name of its file; the header keeps the name from training.
    let name: String = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();

    let unwritten = |error| format!("network {shown} cannot be written as Rust: {error}");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    let mut text = String::new();
    let _ = write!(
        text,
        "pub const NAME: &str = {name:?};\n\
         pub const HIDDEN: usize = {};\n\
         pub const OUTPUT_BIASES: [i32; {}] = {:?};\n\
         // SAFETY: both are plain bytes of the same size.\n\
         pub static WEIGHTS: [Block; {}] = unsafe {{ std::mem::transmute(*include_bytes!(\"network.bin\")) }};\n\
         // SAFETY: the same.\n\
         pub static THREATS: [ThreatRow; {}] = unsafe {{ std::mem::transmute(*include_bytes!(\"threats.bin\")) }};\n",
        network.hidden,
        format::OUTPUT_BUCKETS,
        network.output_biases,
        network.weights.len() / format::BLOCK,
        format::THREATS
    );
    let threats: Vec<u8> = network.threat_rows().flatten().map(|weight| weight as u8).collect();
    fs::write(out.join("threats.bin"), threats).map_err(unwritten)?;
    fs::write(out.join("network.bin"), aligned).map_err(unwritten)?;
    fs::write(out.join("network.rs"), text).map_err(unwritten)
}
