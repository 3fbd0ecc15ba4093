// Runs a WebAssembly program of `cargo test` under Node: `node run-tests.js PROGRAM [ARGUMENTS]`. See `make web-kernels`.

const { readFile } = require("node:fs/promises");
const { WASI } = require("node:wasi");

const wasi = new WASI({ version: "preview1", args: process.argv.slice(2) });

readFile(process.argv[2])
  .then((bytes) => WebAssembly.instantiate(bytes, wasi.getImportObject()))
  .then(({ instance }) => process.exit(wasi.start(instance)));
