// Runs a WebAssembly program of `cargo test` under Node: `node run-tests.js PROGRAM [ARGUMENTS]`. See `make web-kernels`.

const { readFile } = require("node:fs/promises");
const { WASI } = require("node:wasi");

const wasi = new WASI({ version: "preview1", args: process.argv.slice(2) });
// The sizes suit the linker's own. Tests run on the only thread if no other can be started.
const memory = new WebAssembly.Memory({ initial: 1024, maximum: 16384, shared: true });
const imports = { ...wasi.getImportObject(), env: { memory }, wasi: { "thread-spawn": () => -6 } };

readFile(process.argv[2])
  .then((bytes) => WebAssembly.instantiate(bytes, imports))
  .then(({ instance }) => process.exit(wasi.start(instance)));
