// Goal: many bytes are joined and hashed as at once, while others have their turns.

import { expect, test } from "bun:test";
import { joinedInTurns, sha256InTurns } from "../../../src/kit/concurrency/bytes-in-turns.ts";
import { sha256Hex } from "../../../src/kit/crypto.ts";

const MIB = 1024 * 1024;

test.each([0, 1, MIB - 1, MIB, MIB + 1, 40 * MIB])("%d bytes", async (length) => {
  const bytes = Buffer.alloc(length, "abc");
  expect(await sha256InTurns(bytes)).toBe(sha256Hex(bytes));
  const pieces = [bytes.subarray(0, 5), new Uint8Array(), bytes.subarray(5, 4_096), bytes.subarray(4_096)];
  expect(Buffer.compare(await joinedInTurns(pieces), bytes)).toBe(0);
});

test("other work has its turns", async () => {
  const bytes = Buffer.alloc(200 * MIB, "abc");
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 0);
  await sha256InTurns(bytes);
  await joinedInTurns([bytes]);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});
