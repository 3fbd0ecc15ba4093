// The work of a worker, in browsers and under Node alike: it runs the engine for the thread that created it.

import { help, start } from "./module.js";

/** The indices of the shared flags: how many of these lines have been sent but not yet read. */
export const STOPS = 0;
export const PONDERHITS = 1;

/**
 * Serves one engine. The first message is `{ module, memory, pool, flags }`, each later one a line. A worker of the pool
 * gets its number in place of the flags, and no lines.
 *
 * @param {(listener: (message: any) => void) => void} listen
 * @param {(message: any) => void} send receives lines, and `{ failed: reason }` at the end of an engine that has failed
 */
export function serve(listen, send) {
  let flags = null;
  // Lines may come before the engine has started.
  let hear;
  const signals = () => {
    if (flags === null) return 0;
    if (Atomics.load(flags, STOPS) > 0) return 1;
    return Atomics.load(flags, PONDERHITS) > 0 ? 2 : 0;
  };
  const attend = async (line) => {
    try {
      const engine = await hear;
      if (flags !== null && line === "stop") Atomics.sub(flags, STOPS, 1);
      if (flags !== null && line === "ponderhit") Atomics.sub(flags, PONDERHITS, 1);
      if (!engine(line)) send({ failed: "quit" });
    } catch (error) {
      send({ failed: String(error) });
    }
  };
  listen((message) => {
    if (typeof message === "string") {
      attend(message);
    } else if (message.worker !== undefined) {
      help(message, message.worker, send).catch((error) => send({ failed: String(error) }));
    } else {
      flags = message.flags;
      hear = start(message, send, signals);
    }
  });
}
