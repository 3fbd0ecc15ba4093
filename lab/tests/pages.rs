//! The page of `ibex-lab analyse --html` in a real browser: keys, clicks and the board. Skipped without Chromium.

#[path = "../../tests/common/scratch.rs"]
mod scratch;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use scratch::Scratch;

/// The program to use instead of those in the search path.
const BROWSER: &str = "IBEX_CHROMIUM";
/// The time limit for the browser to load a page.
const PATIENCE: Duration = Duration::from_secs(120);

const GAMES: &str = "[White \"A <script>throw 'a name'</script>\"]\n[Black \"B\"]\n\n\
                     1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n\
                     [White \"C\"]\n[Black \"D\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";

/// The trial in the page. `check` records what is wrong.
const TRIAL: &str = r##"<script>
const faults = [];
addEventListener("error", (event) => faults.push(event.message));
const check = (what, found, wanted) => {
  if (found !== wanted) faults.push(`${what}: ${found} instead of ${wanted}`);
};
const key = (name) => document.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
const sections = document.querySelectorAll("section.game");
const current = (i) => sections[i].querySelector("[aria-current]")?.dataset.at ?? "none";
const board = sections[0].querySelector("svg.diagram");
const men = () => [...board.querySelectorAll("use.w, use.b")]
  .map((use) => use.getAttribute("href").slice(1) + use.getAttribute("x") + use.getAttribute("y")).sort().join(" ");
try {
  const first = men();
  check("games", sections.length, 2);
  check("men at first", first.split(" ").length, 32);
  key("ArrowRight");
  check("a move on", current(0), "1");
  check("the pawn on e4", men().includes("P44"), true);
  check("an arrow", board.querySelectorAll("path").length, 1);
  key("End");
  check("the end", current(0), "7");
  check("men at the end", men().split(" ").length, 31);
  key("ArrowRight");
  check("no move on", current(0), "7");
  key("ArrowLeft");
  check("a move back", current(0), "6");
  check("a bad and a better move", board.querySelectorAll("path.wrong, path.right").length, 2);
  sections[0].querySelector("[data-at='6.1']").click();
  check("a line", current(0), "6.1");
  const line = sections[0].querySelectorAll("[data-at^='6.']").length;
  for (let i = 0; i < line; i++) key("ArrowRight");
  check("the end of the line", current(0), `6.${line}`);
  for (let i = 0; i < line; i++) key("ArrowLeft");
  check("out of the line", current(0), "5");
  key("Home");
  check("home", current(0), "none");
  check("men at home", men(), first);
  const graph = sections[0].querySelector(".graph svg"), box = graph.getBoundingClientRect();
  const at = (share) => new MouseEvent("click", { bubbles: true, clientX: box.left + share * box.width, clientY: box.top + 9 });
  graph.dispatchEvent(at(3 / 7));
  check("a click on the graph", current(0), "3");
  check("the caption", sections[0].querySelector(".now").textContent.startsWith("2. Qh5"), true);
  key("Home");
  sections[0].querySelector("[data-go='flip']").click();
  check("the king of a turned board", men().includes("K30"), true);
  sections[1].querySelector("[data-go='on']").click();
  check("the second game", current(1), "1");
  check("the first game stays", current(0), "none");
  check("the width", document.documentElement.scrollWidth <= innerWidth, true);
} catch (error) {
  faults.push(String(error));
}
setTimeout(() => {
  document.body.textContent = "RESULT: " + (faults.length ? faults.join("; ") : "ok");
}, 100);
</script>"##;

fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(BROWSER) {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).find(|file| file.is_file())
}

/// The browser's result for a page of this width. A headless Chromium is at least 500 pixels wide.
fn dump(browser: &Path, folder: &Path, page: &Path, width: u32) -> String {
    let dumped = folder.join("dumped.html");
    let mut child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--virtual-time-budget=5000"])
        .arg(format!("--window-size={width},900"))
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", page.display()))
        .stdout(std::fs::File::create(&dumped).expect("a file"))
        .stderr(Stdio::null())
        .spawn()
        .expect("the browser runs");
    let begun = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if begun.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            panic!("the browser does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    std::fs::read_to_string(&dumped).expect("text")
}

#[test]
fn a_page_answers_keys_and_clicks() {
    let Some(browser) = browser() else {
        eprintln!("SKIPPED: no Chromium");
        return;
    };
    let scratch = Scratch::new("pages");
    let folder = &scratch.0;
    let (page, trial) = (folder.join("page.html"), folder.join("trial.html"));
    let games = scratch.write("games.pgn", GAMES);
    let made = Command::new(env!("CARGO_BIN_EXE_ibex-lab"))
        .arg("analyse")
        .arg(&games)
        .args(["--nodes", "5000", "--html"])
        .arg(&page)
        .output()
        .expect("the program runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let text = std::fs::read_to_string(&page).expect("a page");
    std::fs::write(&trial, text + TRIAL).expect("a file");
    for width in [500, 1280] {
        let found = dump(&browser, folder, &trial, width);
        // If the script has not run, its own text is there, with the word and no result.
        let result = found.split("RESULT: ").nth(1).map(|rest| rest.split('<').next().unwrap_or(rest).trim());
        assert_eq!(result, Some("ok"), "{width} pixels: {:.600}", found);
    }
}
