// Goal: a small command of the compiled programs reads the code that it needs, and not all code of the program. That cost is measured by
// tests/bench/start.bench.ts.

import { expect, test } from "bun:test";
import { binaryPath } from "../kit/binaries.ts";

/** Compiled in one piece, a program has one for each of its entries. */
const PIECES_MIN = 20;
const NAME = Buffer.from("/$bunfs/root/chunk-");
const NAME_BYTES = NAME.length + "01234567.js".length;

test.skipIf(process.platform !== "linux").each(["service", "cairn"] as const)(
  "%s is compiled in pieces, of which a start reads only some",
  async (program) => {
    const bytes = Buffer.from(await Bun.file(binaryPath(program)).bytes());
    const pieces = new Set<string>();
    for (let at = bytes.indexOf(NAME); at >= 0; at = bytes.indexOf(NAME, at + 1))
      pieces.add(bytes.toString("latin1", at, at + NAME_BYTES));
    expect(pieces.size).toBeGreaterThan(PIECES_MIN);
  },
);
