// Waits until something has a value; after the limit the comparison fails with what it had last.

import { expect } from "bun:test";

const LIMIT_MS = 20_000;
const POLL_MS = 20;

export async function eventually(read: () => unknown, expected: unknown): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const value = await read();
    if (Bun.deepEquals(value, expected)) return;
    if (performance.now() > deadline) return void expect(value).toEqual(expected);
    await Bun.sleep(POLL_MS);
  }
}
