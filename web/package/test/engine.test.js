// The package as its users get it, under Node. `IBEX` names the native program for the comparison.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

import { Engine, isEndless, isSearch, isTurn, KEYWORDS, PROMPT, word } from "../engine.js";
import { compile } from "../module.js";
import { load } from "../node.js";

const root = new URL("../../../", import.meta.url);
const cli = fileURLToPath(new URL("../cli.js", import.meta.url));
const MATE = "position fen 6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1";
const POSITIONS = [
  "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
  "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
  "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
  "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
  "r2q1rk1/ppp2ppp/2n1bn2/2b1p3/3pP3/3P1NPP/PPP1NPB1/R1BQ1RK1 b - - 1 9",
  "8/8/4k3/8/4K3/8/3R4/b7 w - - 40 90",
  "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1",
  "2r3k1/1q1nbppp/r3p3/3pP3/pPpP4/P1Q2N2/2RN1PPP/2R4K b - b3 0 23",
  "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9",
  "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1",
];

/** An engine that records its output, and waits for lines. */
async function engine(options = {}) {
  const lines = [];
  const waiting = [];
  const loaded = await load({
    ...options,
    onmessage: (line) => {
      lines.push(line);
      for (const wait of [...waiting]) wait(line);
    },
  });
  const until = (start) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no '${start}' after ${lines.join("\n")}`)), 30_000);
      const wait = (line) => {
        if (!line.startsWith(start)) return;
        waiting.splice(waiting.indexOf(wait), 1);
        clearTimeout(timer);
        resolve(line);
      };
      waiting.push(wait);
    });
  const ask = (text, start) => {
    const answer = until(start);
    for (const line of text.split("\n")) loaded.postMessage(line);
    return answer;
  };
  return { loaded, lines, until, ask };
}

test("the packed package installs into a project, and its example runs", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "ibex-package-"));
  const npm = (...words) => execFileSync("npm", [...words, "--offline", "--no-audit", "--no-fund"], { cwd: folder, encoding: "utf8" });
  try {
    const packed = npm("pack", fileURLToPath(new URL("..", import.meta.url)), "--silent").trim();
    writeFileSync(join(folder, "package.json"), '{ "name": "game", "private": true }');
    npm("install", `./${packed}`);
    for (const file of ["LICENSE", "SOURCE.txt", "THIRD-PARTY.txt"]) {
      assert.ok(readFileSync(join(folder, "node_modules/ibex-chess", file), "utf8").length > 100, file);
    }
    // The lines of docs/web.md, and an end.
    const page = readFileSync(new URL("docs/web.md", root), "utf8");
    const lines = page.split("\n").filter((line) => line.startsWith("    "));
    const from = lines.indexOf('    import { load } from "ibex-chess";');
    const example = lines.slice(from, lines.indexOf('    engine.postMessage("go movetime 1000");') + 1);
    assert.ok(from >= 0 && example.length >= 5);
    const source = [...example, 'engine.addMessageListener((line) => line.startsWith("bestmove") && engine.terminate());'];
    writeFileSync(join(folder, "game.mjs"), source.map((line) => line.trim()).join("\n"));
    assert.match(execFileSync(process.execPath, ["game.mjs"], { cwd: folder, encoding: "utf8" }), /^bestmove \w+/m);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a line counts as the command that the engine reads in it", () => {
  for (const [line, first] of [
    ["joho debug on", "debug"],
    ["foo go depth 3", "go"],
    ["help go", "help"],
    ["D stop", "d"],
    ["bench quit", "bench"],
    ["# go", "#"],
    ["xyzzy 1", "xyzzy"],
  ]) {
    assert.equal(word(line), first, line);
  }
  assert.ok(isSearch("foo go") && !isSearch("help go") && !isSearch("# go") && !isSearch("go perft 3"));
  for (const line of ["go", "go perft 3", "perft", "perft 3", " PERFT 3 x"]) assert.ok(isTurn(line), line);
  for (const line of ["perft x", "perft -1", "perftly", "help perft", "d"]) assert.ok(!isTurn(line), line);
});

test("the lists of words match the program's", () => {
  const words = (path, list) => {
    const source = readFileSync(new URL(path, root), "utf8");
    const [, own] = new RegExp(`${list}[^=]*=\\s*&?\\[([^\\]]*)\\]`).exec(source);
    return [...own.matchAll(/"(\w+)"/g)].map(([, word]) => word);
  };
  assert.deepEqual([...PROMPT], words("src/uci/prompt.rs", "pub const WORDS"));
  assert.deepEqual([...KEYWORDS], words("src/uci/parse.rs", "pub const KEYWORDS"));
});

test("the version matches the program's", () => {
  const program = /\[workspace\.package\]\s+version = "(.*)"/.exec(readFileSync(new URL("Cargo.toml", root), "utf8"))[1];
  const own = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
  assert.equal(own, program);
});

test("a dialogue is answered, and the bench has its node count", async () => {
  const { loaded, lines, ask } = await engine();
  assert.equal(await ask("uci", "uciok"), "uciok");
  assert.ok(lines.some((line) => line.startsWith("option name Threads type spin default 1 min 1 max 32")));
  assert.equal(await ask("isready", "readyok"), "readyok");
  assert.equal(await ask(`${MATE}\ngo nodes 2000`, "bestmove"), "bestmove d1d8");
  assert.ok(lines.some((line) => line.includes(" score mate 1 ")));
  const bench = await ask("bench", readFileSync(new URL("tests/bench.signature", root), "utf8").trim());
  assert.match(bench, /^\d+ nodes \d+ nps$/);
  await ask("bench 16 33 1", "bench: the threads must be a number from 1 to 32, not '33'");
  assert.match(await ask("bench 16 1 1", ""), /^\d+ nodes \d+ nps$/);
  loaded.terminate();
});

for (const shared of [true, false]) {
  test(`stop, ponderhit and isready work during a search, shared memory: ${shared}`, async () => {
    const { loaded, lines, until, ask } = await engine({ shared });
    await ask("setoption name Hash value 8\nposition startpos moves e2e4\ngo infinite", "info depth 5 ");
    assert.equal(await ask("isready", "readyok"), "readyok");
    assert.ok(loaded.searching);
    assert.match(await ask("stop", "bestmove"), /^bestmove [a-h][1-8][a-h][1-8]/);
    assert.ok(!loaded.searching);
    // A search that has ended still waits for `stop`.
    await ask(`${MATE}\ngo infinite`, "info depth 2 ");
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.ok(loaded.searching);
    assert.match(await ask("stop", "bestmove"), /^bestmove d1d8/);
    await ask("position startpos\ngo ponder wtime 400 btime 400", "info depth 5 ");
    assert.match(await ask("ponderhit", "bestmove"), /^bestmove/);
    // Lines sent during a search are carried out after it, in order; each `go` is answered.
    const count = () => lines.filter((line) => line.startsWith("bestmove")).length;
    const before = count();
    const last = until("bestmove d1d8");
    for (const line of ["position startpos", "go nodes 30000", MATE, "go nodes 2000"]) loaded.postMessage(line);
    await last;
    assert.equal(count(), before + 2);
    // A stray `stop` stops nothing later.
    loaded.postMessage("stop");
    assert.match(await ask("position startpos\ngo nodes 30000", "bestmove"), /^bestmove/);
    const nodes = /nodes (\d+)/.exec(lines.filter((line) => line.includes(" nodes ")).at(-1))[1];
    assert.ok(Number(nodes) > 10_000, nodes);
    loaded.terminate();
  });
}

/** Whether a remark says that a thread could not be started. */
const isMissing = (line) => /could not start search thread/.test(line);

test("several threads search in shared memory, one search after the other", { timeout: 120_000 }, async () => {
  const { loaded, lines, ask } = await engine();
  for (const threads of [2, 4, 1, 3, 32]) {
    loaded.postMessage(`setoption name Threads value ${threads}`);
    loaded.postMessage("setoption name Hash value " + (threads % 2 ? 64 : 16));
    loaded.postMessage("ucinewgame");
    for (const limit of ["nodes 20000", "movetime 100", "depth 6"]) {
      assert.match(await ask(`position startpos\ngo ${limit}`, "bestmove"), /^bestmove [a-h]/);
    }
    assert.equal(await ask(`${MATE}\ngo nodes 2000`, "bestmove"), "bestmove d1d8");
  }
  // A thread ends a moment before its worker is idle, and the next search begins at once.
  loaded.postMessage("setoption name Threads value 4");
  for (let search = 0; search < 300; search++) await ask("position startpos\ngo nodes 100", "bestmove");
  loaded.postMessage("go infinite");
  assert.equal(await ask("isready", "readyok"), "readyok");
  assert.match(await ask("stop", "bestmove"), /^bestmove [a-h]/);
  assert.deepEqual(lines.filter(isMissing), []);
  loaded.terminate();
});

test("on a busy machine, threads search as soon as others have cleared the hash table", { timeout: 120_000 }, async (t) => {
  const { loaded, lines, ask } = await engine();
  const busy = Array.from({ length: 6 }, () => new Worker("for (;;);", { eval: true }));
  t.after(() => [loaded, ...busy].forEach((worker) => worker.terminate()));
  loaded.postMessage("setoption name Threads value 4");
  loaded.postMessage("setoption name Hash value 64");
  for (let game = 0; game < 100; game++) await ask("ucinewgame\nposition startpos\ngo nodes 100", "bestmove");
  assert.deepEqual(lines.filter(isMissing), []);
});

test("a bench has the threads that it names", async () => {
  const { loaded, lines, ask } = await engine();
  await ask("bench 16 4 1\nisready", "readyok");
  assert.ok(lines.some((line) => /^\d+ nodes \d+ nps$/.test(line)));
  assert.deepEqual(lines.filter(isMissing), []);
  loaded.terminate();
});

test("a thread waits for a worker that is still busy", async () => {
  const module = await compile(readFileSync(new URL("../ibex.wasm", import.meta.url)), true);
  const makeWorker = (listener) => {
    const worker = new Worker(new URL("../node-worker.js", import.meta.url));
    worker.on("message", listener);
    const send = (message) => {
      if (message.worker === undefined) return worker.postMessage(message);
      // As if its last thread had not left it for a second.
      Atomics.store(message.pool, message.worker, 1);
      setTimeout(() => {
        Atomics.store(message.pool, message.worker, 0);
        worker.postMessage(message);
      }, 1000);
    };
    return { send, end: () => worker.terminate() };
  };
  const lines = [];
  await new Promise((resolve) => {
    const own = new Engine(module, makeWorker, true, (line) => {
      lines.push(line);
      if (line.startsWith("bestmove")) resolve(own.terminate());
    });
    for (const line of ["setoption name Threads value 2", "position startpos", "go nodes 1000"]) own.postMessage(line);
  });
  assert.deepEqual(lines.filter(isMissing), []);
});

test("without shared memory, one thread searches, and a line says so", async () => {
  const { loaded, lines, ask } = await engine({ shared: false });
  assert.equal(await ask(`setoption name Threads value 2\n${MATE}\ngo nodes 2000`, "bestmove"), "bestmove d1d8");
  assert.equal(lines.filter(isMissing).length, 1);
  loaded.terminate();
});

test("a search whose second thread has no worker is answered, and the reason is said", async () => {
  const lines = [];
  const module = await compile(readFileSync(new URL("../ibex.wasm", import.meta.url)), true);
  let made = 0;
  const makeWorker = (listener, failed) => {
    made += 1;
    if (made % 2 === 0) return { send: () => setTimeout(failed, 0, "no worker"), end: () => {} };
    const worker = new Worker(new URL("../node-worker.js", import.meta.url));
    worker.on("message", listener);
    return { send: (message) => worker.postMessage(message), end: () => worker.terminate() };
  };
  const answered = new Promise((resolve) => {
    const hear = (line) => (lines.push(line), line.startsWith("bestmove") && resolve());
    const engine = new Engine(module, makeWorker, true, hear);
    for (const line of ["setoption name Threads value 2", "position startpos", "go nodes 1000000"]) engine.postMessage(line);
  });
  await answered;
  assert.ok(lines.includes("info string the engine cannot run here: no worker"), lines.join("\n"));
});

test("without shared memory, a stop may come before the first line", async () => {
  const { loaded, ask } = await engine({ shared: false });
  assert.match(await ask("position startpos moves e2e4\ngo infinite\nstop", "bestmove"), /^bestmove [a-h]/);
  assert.match(await ask("go nodes 1000", "bestmove"), /^bestmove [a-h]/);
  // Two searches are both answered, and a short one keeps the moves that it may choose from.
  const { loaded: other, lines, ask: askOther } = await engine({ shared: false });
  await askOther("position startpos\ngo infinite searchmoves a2a3\nstop", "bestmove a2a3");
  await askOther("go nodes 30000000\ngo searchmoves h2h3 infinite\nstop", "bestmove h2h3");
  assert.equal(lines.filter((line) => line.startsWith("bestmove")).length, 3);
  other.terminate();
  loaded.terminate();
});

test("without shared memory, further stops do not disturb the answer to the first one", { timeout: 30_000 }, async () => {
  const lines = [];
  let workers = 0;
  let all;
  const three = new Promise((resolve) => (all = resolve));
  // A worker takes its time for a short search, and none of the others ends.
  const makeWorker = (listener) => {
    workers += 1;
    let hasEnded = false;
    const answer = () => hasEnded || listener("bestmove e2e4");
    return {
      send: (line) => /^go .*depth 1$/.test(line) && setTimeout(answer, 150),
      end: () => (hasEnded = true),
    };
  };
  const own = new Engine(null, makeWorker, false, (line) => lines.push(line) === 3 && all());
  own.postMessage("go infinite");
  for (let count = 0; count < 10; count++) {
    own.postMessage("stop");
    await new Promise((resolve) => setTimeout(resolve, 33));
  }
  assert.deepEqual(lines, ["bestmove e2e4"]);
  assert.equal(workers, 2);
  // They are meant for what was sent between them, too.
  for (const line of ["go infinite", "stop", "go nodes 30000000", "stop", "stop"]) own.postMessage(line);
  await three;
  // There is no fourth answer.
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(lines.length, 3);
  assert.equal(workers, 4);
});

test("a new worker does not restore a refused position after a new game", async () => {
  const { loaded, ask } = await engine({ shared: false });
  for (const line of ["position fen junk", "ucinewgame"]) loaded.postMessage(line);
  assert.match(await ask("go infinite\nstop", "bestmove"), /^bestmove [a-h]/);
  assert.match(await ask("go depth 5", "bestmove"), /^bestmove [a-h]/);
  loaded.terminate();
});

test("a new worker keeps the flipped position and the debug mode", async () => {
  const { loaded, lines, ask } = await engine({ shared: false });
  const fen = async () => (await ask("d", "Fen: ")).slice(5);
  for (const line of ["debug on", "position startpos moves e2e4", "flip"]) loaded.postMessage(line);
  const turned = await fen();
  assert.match(turned, /^rnbqkbnr\/pppp1ppp\/8\/4p3\/8\/8\/PPPPPPPP\/RNBQKBNR w/);
  await ask("go infinite\nstop", "bestmove");
  assert.equal(await fen(), turned);
  // Only then is a meaningless line explained.
  const before = lines.length;
  await ask("nonsense\nisready", "readyok");
  assert.ok(lines.slice(before).some((line) => line.startsWith("info string")), lines.slice(before).join("\n"));
  loaded.terminate();
});

test("a worker that fails is replaced, with its options, its position and its search", async () => {
  const module = await WebAssembly.compile(readFileSync(new URL("../ibex.wasm", import.meta.url)));
  const lines = [];
  const failures = [];
  let answer;
  const done = new Promise((resolve) => (answer = resolve));
  const makeWorker = (listener, failed) => {
    const worker = new Worker(new URL("../node-worker.js", import.meta.url));
    worker.on("message", listener);
    failures.push(failed);
    return { send: (message) => worker.postMessage(message), end: () => worker.terminate() };
  };
  const own = new Engine(module, makeWorker, true, (line) => {
    lines.push(line);
    // The first worker fails while it searches, the second before its first line.
    if (failures.length === 1 && line.includes(" depth 8 ")) failures[0]("it fell");
    if (line.startsWith("bestmove")) answer(line);
  });
  for (const line of ["setoption name MultiPV value 2", "position startpos moves e2e4", "go infinite"]) own.postMessage(line);
  const best = await done;
  const told = lines.filter((line) => line.includes(" multipv 1 ")).at(-1);
  assert.ok(told.includes(` pv ${best.split(" ")[1]}`), "the answer is that of the last line");
  assert.ok(lines.includes("info string the engine was restarted: it fell"));
  // The new worker has the old one's state.
  lines.length = 0;
  const again = new Promise((resolve) => own.addMessageListener((line) => line.startsWith("bestmove") && resolve(line)));
  own.postMessage("go nodes 5000");
  failures[1]("it fell at once");
  assert.match(await again, /^bestmove [a-h][5-8]/);
  assert.ok(lines.some((line) => line.includes(" multipv 2 ")));
  assert.equal(failures.length, 3);
  own.terminate();
});

test("if an idle worker fails, every question is still answered", async () => {
  const module = await WebAssembly.compile(readFileSync(new URL("../ibex.wasm", import.meta.url)));
  const lines = [];
  let workers = 0;
  const makeWorker = (listener, failed) => {
    workers += 1;
    if (workers === 1) {
      setTimeout(() => failed("it fell"), 50);
      return { send() {}, end() {} };
    }
    const worker = new Worker(new URL("../node-worker.js", import.meta.url));
    worker.on("message", listener);
    return { send: (message) => worker.postMessage(message), end: () => worker.terminate() };
  };
  const own = new Engine(module, makeWorker, true, (line) => lines.push(line));
  const ready = new Promise((resolve) => own.addMessageListener((line) => line === "readyok" && resolve()));
  for (const line of ["uci", "isready"]) own.postMessage(line);
  await ready;
  assert.ok(lines.includes("uciok") && lines.includes("info string the engine was restarted: it fell"), lines.join("\n"));
  // An answered line is not sent again.
  const again = new Promise((resolve) => own.addMessageListener((line) => line === "readyok" && resolve()));
  own.postMessage("isready");
  await again;
  assert.equal(lines.filter((line) => line === "uciok").length, 1);
  assert.equal(lines.filter((line) => line === "readyok").length, 2);
  own.terminate();
});

test("no announced option ends the engine", async () => {
  const { loaded, lines, ask } = await engine();
  await ask("uci", "uciok");
  const texts = lines.map((line) => /^option name (.*) type string/.exec(line)?.[1]).filter((name) => name !== undefined);
  assert.ok(texts.includes("SyzygyPath") && texts.includes("EvalFile"), texts.join(", "));
  for (const name of texts) await ask(`setoption name ${name} value /a:/b c\nisready`, "readyok");
  assert.ok(!lines.some((line) => line.includes("restarted")), lines.join("\n"));
  assert.ok(lines.some((line) => /^info string .*tablebases/.test(line)), lines.join("\n"));
  await ask("go nodes 100", "bestmove");
  loaded.terminate();
});

test("a refused option leaves the previous value in force, in a new worker too", () => {
  const sent = [];
  let fail;
  const makeWorker = (_, failed) => {
    const lines = [];
    sent.push(lines);
    fail = failed;
    return { send: (line) => typeof line === "string" && lines.push(line), end() {} };
  };
  const own = new Engine(null, makeWorker, true, () => {});
  const said = ["setoption name Hash value 64", "setoption name Hash value abc", "debug on", "debug"];
  for (const line of said) own.postMessage(line);
  fail("it fell");
  assert.deepEqual(sent[1], said);
  // A number takes effect, so earlier settings are dropped: no large hash is allocated again for nothing.
  const again = ["setoption name MultiPV value 2", "setoption name Hash value 32", "setoption name multipv value 3"];
  for (const line of again) own.postMessage(line);
  fail("it fell again");
  assert.deepEqual(sent[2], ["debug on", "debug", ...again.slice(1)]);
});

test("failures of an idle worker do not add up if it answers between them", () => {
  let hear;
  let fail;
  const makeWorker = (listener, failed) => {
    hear = listener;
    fail = failed;
    return { send: (line) => line === "isready" && hear("readyok"), end() {} };
  };
  const own = new Engine(null, makeWorker, true, () => {});
  for (let count = 0; count < 10; count++) {
    own.postMessage("isready");
    fail("it fell");
    assert.equal(own.failure, null, `${count}`);
  }
  for (let count = 0; count < 3; count++) fail("it fell");
  assert.equal(own.failure, "it fell");
});

test("a worker that always fails is given up", async () => {
  const module = await WebAssembly.compile(readFileSync(new URL("../ibex.wasm", import.meta.url)));
  const lines = [];
  const makeWorker = (_, failed) => {
    setImmediate(() => failed("it fell"));
    return { send() {}, end() {} };
  };
  const own = new Engine(module, makeWorker, true, (line) => lines.push(line));
  own.postMessage("go infinite");
  own.postMessage("go nodes 1000");
  assert.equal(own.failure, null);
  await new Promise((resolve) => setTimeout(resolve, 200));
  // Each `go` is answered, even one that comes too late.
  const end = ["info string the engine cannot run here: it fell", "bestmove (none)", "bestmove (none)"];
  assert.deepEqual(lines.slice(3), end);
  assert.equal(own.failure, "it fell");
  assert.ok(!own.searching);
  for (const line of ["uci", "go depth 3", "go perft 1", "isready"]) own.postMessage(line);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(lines.slice(3), [...end, "uciok", "bestmove (none)", "readyok"]);
  // Earlier requests are answered, too.
  const earlier = [];
  const asked = new Engine(module, makeWorker, true, (line) => earlier.push(line));
  for (const line of ["uci", "isready"]) asked.postMessage(line);
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.deepEqual(earlier.slice(-3), ["info string the engine cannot run here: it fell", "uciok", "readyok"]);
});

test("without shared memory, no line is lost or repeated", { timeout: 60_000 }, async () => {
  const { loaded, lines, ask } = await engine({ shared: false });
  await ask("position startpos\ngo infinite", "info depth 5 ");
  for (const line of ["setoption name MultiPV value 2", "position startpos moves e2e4"]) loaded.postMessage(line);
  let answers = 0;
  const both = new Promise((resolve) => {
    loaded.addMessageListener((line) => {
      if (line.startsWith("bestmove") && ++answers === 1) loaded.postMessage("go nodes 3000");
      if (answers === 2) resolve();
    });
  });
  loaded.postMessage("stop");
  await both;
  // There is no third answer.
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(answers, 2, lines.join("\n"));
  assert.ok(lines.some((line) => line.includes(" multipv 2 ")));
  assert.match(lines.at(-1), /^bestmove [a-h][5-8]/);
  loaded.terminate();
});

test("the next search ends an infinite one, and perft is not a search", { timeout: 60_000 }, async () => {
  for (const shared of [true, false]) {
    const { loaded, lines, ask, until } = await engine({ shared });
    await ask("position startpos\ngo infinite", "info depth 5 ");
    const both = until("bestmove d1d8");
    loaded.postMessage(MATE);
    loaded.postMessage("joho GO nodes 2000");
    await both;
    assert.equal(lines.filter((line) => line.startsWith("bestmove")).length, 2, lines.join("\n"));
    await ask("position startpos\ngo", "info depth 5 ");
    await ask("go perft 2", "Nodes searched: 400");
    assert.ok(!loaded.searching);
    await ask("go infinite", "info depth 5 ");
    await ask("perft 2", "Nodes searched: 400");
    assert.ok(!loaded.searching);
    // A limit that the search has not reached is kept.
    await ask("go nodes 30000\ngo perft 1", "Nodes searched: 20");
    assert.ok(Number(/ nodes (\d+)/.exec(lines.filter((line) => line.includes(" nodes ")).at(-1))[1]) > 20_000);
    loaded.terminate();
  }
});

test("perft can be stopped through shared memory", { timeout: 60_000 }, async () => {
  const { loaded, lines, ask, until } = await engine();
  await ask("position startpos\nisready", "readyok");
  loaded.postMessage("go perft 20");
  await new Promise((resolve) => setTimeout(resolve, 300));
  const stopped = until("info string perft stopped");
  loaded.postMessage("stop");
  await stopped;
  // The line itself is read later, and stops nothing more.
  await ask("go perft 3", "Nodes searched: 8902");
  assert.match(await ask("go nodes 5000", "bestmove"), /^bestmove [a-h]/);
  assert.equal(lines.filter((line) => line.includes("stopped")).length, 1, lines.join("\n"));
  loaded.terminate();
});

test("an infinite search that has waited is ended by the next one, too", { timeout: 60_000 }, async () => {
  for (const shared of [true, false]) {
    const { loaded, lines, until } = await engine({ shared });
    const answers = () => lines.filter((line) => line.startsWith("bestmove")).length;
    const say = async (...said) => {
      lines.length = 0;
      const last = until("bestmove d1d8");
      for (const line of ["position startpos", ...said, MATE, "go nodes 1000"]) loaded.postMessage(line);
      await last;
    };
    await say("go nodes 30000", "go infinite");
    assert.equal(answers(), 3, lines.join("\n"));
    // A limit holds to the end, whatever waits after it.
    const first = lines.slice(0, lines.findIndex((line) => line.startsWith("bestmove")));
    assert.ok(Number(/ nodes (\d+)/.exec(first.filter((line) => line.includes(" nodes ")).at(-1))[1]) > 20_000);
    await say("go infinite", "go infinite");
    assert.equal(answers(), 3);
    await say("go nodes 5000", "go", "go ponder wtime 900 btime 900", "go infinite");
    assert.equal(answers(), 5);
    // `ponderhit` does not end a search that does not ponder, nor one that is infinite anyway.
    await say("go infinite", "ponderhit");
    assert.equal(answers(), 2);
    await say("go ponder", "ponderhit");
    assert.equal(answers(), 2);
    lines.length = 0;
    const deep = until("info depth 5 ");
    loaded.postMessage("position startpos");
    loaded.postMessage("go infinite");
    await deep;
    // Nor does it restart such a search.
    loaded.postMessage("ponderhit");
    await new Promise((resolve) => setTimeout(resolve, 500));
    const stopped = until("bestmove");
    loaded.postMessage("stop");
    await stopped;
    assert.equal(lines.filter((line) => line.startsWith("info depth 1 ")).length, 1, lines.join("\n"));
    // It reaches a search that has not started.
    await say("go nodes 5000", "go ponder nodes 30000", "ponderhit");
    assert.equal(answers(), 3);
    const [, second] = lines.join("\n").split(/^bestmove.*$/m);
    assert.ok(Number(/.* nodes (\d+)/s.exec(second)[1]) > 20_000, second);
    loaded.terminate();
  }
});

test("if the system refuses memory, the table is smaller, and a line says so", () => {
  const input = "setoption name Hash value 2000\nposition startpos\ngo nodes 5000\n";
  // 512 MiB in pages of 64 KiB.
  const run = spawnSync(process.execPath, ["--wasm-max-mem-pages=8192", cli], { input, encoding: "utf8", timeout: 30_000 });
  assert.match(run.stdout, /^info string not enough memory for Hash 2000; it is 250 now$/m);
  assert.match(run.stdout, /^bestmove [a-h]/m);
});

test("a request for more memory than there is gives a smaller table and a remark", async () => {
  const { loaded, lines, ask } = await engine();
  await ask("setoption name Hash value 2048\nisready", "readyok");
  assert.match(await ask("position startpos\ngo nodes 20000", "bestmove"), /^bestmove [a-h]/);
  lines.length = 0;
  await ask("setoption name Hash value 999999\nisready", "readyok");
  assert.ok(lines.some((line) => /^info string .*2047/.test(line)), lines.join("\n"));
  loaded.terminate();
});

test("ten positions give the native program's nodes and moves", { skip: !process.env.IBEX && "IBEX is not set" }, async () => {
  const { loaded, lines, ask } = await engine();
  for (const fen of POSITIONS) {
    const text = `ucinewgame\nposition fen ${fen}\ngo nodes 20000`;
    lines.length = 0;
    const own = await ask(text, "bestmove");
    const output = execFileSync(process.env.IBEX, { input: `${text}\n`, encoding: "utf8" }).trim().split("\n");
    const told = output.filter((line) => / nodes /.test(line)).at(-1);
    const mine = lines.filter((line) => / nodes /.test(line)).at(-1);
    const gist = (line) => line.replace(/ (nps|time|hashfull) \d+/g, "");
    assert.equal(gist(mine), gist(told), fen);
    assert.equal(own, output.at(-1), fen);
  }
  loaded.terminate();
});

test("the command handles lines, the end of the input, and arguments", () => {
  const run = (args, input) => spawnSync(process.execPath, [cli, ...args], { input, encoding: "utf8", timeout: 30_000 });
  const lines = run([], `${MATE}\ngo infinite\n`);
  assert.equal(lines.status, 0);
  assert.match(lines.stdout, /^bestmove d1d8/m);
  assert.match(run([], "position startpos\ngo nodes 30000\n").stdout, / nodes [23]\d{4} [\s\S]*^bestmove/m);
  const three = run([], "position startpos\ngo nodes 30000\ngo infinite\ngo nodes 1000\n");
  assert.equal(three.status, 0);
  assert.equal(three.stdout.match(/^bestmove/gm).length, 3);
  // The end of the input ends only an infinite search.
  const both = run([], "position startpos\ngo nodes 30000\ngo infinite\n");
  assert.match(both.stdout, / nodes [23]\d{4} [\s\S]*^bestmove[\s\S]*^bestmove/m);
  const hit = run([], "position startpos\ngo ponder nodes 30000\nponderhit\n");
  assert.match(hit.stdout, / nodes [23]\d{4} [\s\S]*^bestmove/m);
  assert.match(run([], "uci\nquit\n").stdout, /^id name Ibex[\s\S]*^uciok$/m);
  assert.match(run([], "isready\nquit\n").stdout, /^readyok$/m);
  assert.match(run([], "position startpos\ngo infinite\nquit\ngo depth 1\n").stdout, /^(?![\s\S]*^bestmove[\s\S]*^bestmove)[\s\S]*^bestmove/m);
  for (const endless of ["go", "go depth x", "go ponder wtime 9 btime 9"]) {
    assert.match(run([], `position startpos\n${endless}\n`).stdout, /^bestmove/m, endless);
  }
  // The other side's increment is not a limit.
  assert.match(run([], "position startpos moves e2e4\ngo winc 100\n").stdout, /^bestmove/m);
  assert.ok(!isEndless("go winc 100 binc 100") && isEndless("go winc 100 binc 0"));
  assert.match(run([], "go perft 2\nisready\n").stdout, /^Nodes searched: 400\nreadyok\n$/m);
  // A command that ends an infinite search is not cut off by the end of the input.
  for (const count of ["perft 2", "go perft 2"]) {
    assert.match(run([], `position startpos\ngo infinite\n${count}\n`).stdout, /^Nodes searched: 400$/m, count);
  }
  assert.match(run(["go", "nodes", "1000"]).stdout, /^bestmove/m);
  assert.match(run(["joho", "go", "nodes", "1000"]).stdout, /^bestmove/m);
  const help = run(["--help"]);
  assert.equal(help.status, 0);
  assert.match(help.stdout, /^ibex-chess COMMAND/m);
  // A word that the engine would ignore is not a success.
  for (const [words, said] of [
    [["benhc"], /^no command 'benhc'; did you mean 'bench'\?/],
    [["isredy"], /did you mean 'isready'/],
    [["xyzzy", "3"], /^no command 'xyzzy'; see/],
    [["probe"], /^no command 'probe'/],
  ]) {
    const { status, stdout, stderr } = run(words);
    assert.deepEqual([status, stdout], [2, ""], words[0]);
    assert.match(stderr, said);
  }
  const unknown = run(["--nonsense"]);
  assert.equal(unknown.status, 2);
  assert.equal(unknown.stdout, "");
  assert.equal(unknown.stderr, help.stdout);
});

test("without its engine, the command fails with one line", () => {
  const folder = mkdtempSync(join(tmpdir(), "ibex-package-"));
  const source = fileURLToPath(new URL("..", import.meta.url));
  try {
    for (const name of readdirSync(source)) {
      if (/\.js$|^package\.json$/.test(name)) copyFileSync(join(source, name), join(folder, name));
    }
    for (const [wasm, said] of [
      [null, /^ibex-chess: cannot load ibex\.wasm: ENOENT\b.*make web.*\n$/],
      ["", /^ibex-chess: cannot load ibex\.wasm: .*\n$/],
      ["\0asm", /^ibex-chess: cannot load ibex\.wasm: .*\n$/],
    ]) {
      if (wasm !== null) writeFileSync(join(folder, "ibex.wasm"), wasm);
      const words = [join(folder, "cli.js"), "bench"];
      const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
      assert.deepEqual([status, stdout], [2, ""], stderr);
      assert.match(stderr, said);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the command ends quietly when its reader goes away", { timeout: 30_000 }, async () => {
  const child = spawn(process.execPath, [cli]);
  let complaints = "";
  child.stderr.on("data", (text) => (complaints += text));
  child.stdin.write("go infinite\n");
  child.stdout.once("data", () => child.stdout.destroy());
  const status = await new Promise((resolve) => child.on("exit", resolve));
  assert.equal(complaints, "");
  assert.equal(status, 1);
});
