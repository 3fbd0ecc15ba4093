// What the page is given away with. No browser is needed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const read = (file) => readFileSync(new URL(`../dist/${file}`, import.meta.url), "utf8");

test("the built page has its licence, its source and the notices of others", () => {
  assert.match(read("LICENSE.txt"), /GNU GENERAL PUBLIC LICENSE\s+Version 3/);
  assert.match(read("SOURCE.txt"), /^Its source is /m);
  const notices = read("THIRD-PARTY.txt");
  const { dependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const bundled = Object.keys(dependencies).filter((name) => name !== "ibex-chess");
  // Of the pieces and of the engine, too; it is a package of this project.
  for (const name of [...bundled, "@badrap/result", "shakmaty", "vampirc-uci"]) {
    assert.ok(notices.includes(`\n${name} `), `no notices of ${name}`);
  }
  const others = ["Colin M. L. Burnett", "The standard library of rustc", "wasi-libc"];
  for (const name of others) assert.ok(notices.includes(name), name);
});

test("the page links to the notices, but does not load them", () => {
  const page = read("index.html");
  for (const file of ["LICENSE.txt", "SOURCE.txt", "THIRD-PARTY.txt"]) {
    assert.ok(page.includes(`href="./${file}"`), `no link to ${file}`);
    assert.ok(!read("sw.js").includes(file), `the service worker keeps ${file}`);
  }
});
