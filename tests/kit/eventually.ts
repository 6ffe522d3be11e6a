// Waits for a condition: until something has a value, or is there at all. After the limit the test fails with what it had last.

import { expect } from "bun:test";
import { WAIT_LIMIT_MS } from "./wait-limit.ts";

const POLL_MS = 10;

export async function eventually(read: () => unknown, expected: unknown): Promise<void> {
  const value = await last(read, (found) => Bun.deepEquals(found, expected));
  expect(value).toEqual(expected);
}

/** Returns the result of `read` once it is truthy. */
export async function until<T>(read: () => T | Promise<T>): Promise<NonNullable<T>> {
  const value = await last(read, Boolean);
  expect(value).toBeTruthy();
  return value!;
}

async function last<T>(read: () => T | Promise<T>, fits: (value: T) => boolean): Promise<T> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  for (;;) {
    const value = await read();
    if (fits(value) || performance.now() > deadline) return value;
    await Bun.sleep(POLL_MS);
  }
}
