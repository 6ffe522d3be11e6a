// Goal: waiting ends with what comes first, and leaves no timer and no listener behind.

import { expect, test } from "bun:test";
import { LATE, pause, within } from "../../../src/kit/concurrency/deadline.ts";

const NEVER = new Promise<never>(() => {});
const HOUR_MS = 3_600_000;

test("work that is done in time gives its value, or its failure", async () => {
  expect(await within(HOUR_MS, Promise.resolve(7))).toBe(7);
  await expect(within(HOUR_MS, Promise.reject(new Error("no")))).rejects.toThrow("no");
});

test("work that takes longer is late", async () => {
  expect(await within(1, NEVER)).toBe(LATE);
});

test("a pause ends by itself, and at once with its signal, before or during it", async () => {
  await pause(1, new AbortController().signal);
  await pause(HOUR_MS, AbortSignal.abort());
  const during = new AbortController();
  const waiting = pause(HOUR_MS, during.signal);
  during.abort(new Error("enough"));
  await waiting;
});
