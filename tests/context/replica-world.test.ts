// Goal: three people with copies of one space converge, and lose no line that one of them saved, whatever ends a cycle, cuts the network, changes a rule
// or restores the server. SYNC_SEEDS=1-500 tries more; `npm run prove` tries others.

import { expect, test } from "bun:test";
import { binaryPath } from "../kit/binaries.ts";
import { runWorld } from "../prove/sync-world.ts";

const [from = 1, to = from] = (process.env["SYNC_SEEDS"] ?? "4-5").split("-").map(Number);
const DEEDS = 40;

test.each(Array.from({ length: to - from + 1 }, (_, index) => from + index))(
  "three copies converge without losing a line, seed %d",
  async (seed) => {
    expect(await runWorld({ seed, deeds: DEEDS })).toEqual([]);
  },
);

test("three copies converge without losing a line, also when the program that syncs them is killed", async () => {
  expect(await runWorld({ seed: 6, deeds: 80, program: binaryPath("cairn") })).toEqual([]);
});

test("a path that did not sync while the server was restored keeps what the backup lacks", async () => {
  expect(await runWorld({ seed: 45248329, deeds: 120 })).toEqual([]);
});
