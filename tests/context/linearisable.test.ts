// Goal: seen from outside, writes and reads of a file happen one after the other: versions have no gap and no twin, an expectation is met
// by exactly one writer, and nobody reads what is older than what was acknowledged before they asked.

import { expect, test } from "bun:test";
import { contextServer, filePath } from "../kit/context-server.ts";

const CLIENTS = 24;
const STEPS_EACH = 30;
const FILES = ["a.md", "b.md", "c.md"];

/** One request as its client saw it. Times are of one clock. */
interface Call {
  readonly file: string;
  readonly began: number;
  readonly ended: number;
  /** Read or written; 0: there was no file. */
  readonly version: number;
  readonly content: string;
  readonly wrote: boolean;
}

test("concurrent writers that compare and swap, and readers", async () => {
  await using server = await contextServer();
  const calls: Call[] = [];
  let refused = 0;
  const versionIn = (response: Response) => Number(/^"(\d+)"$/.exec(response.headers.get("etag") ?? "")?.[1]);

  const read = async (file: string): Promise<Call> => {
    const began = performance.now();
    const response = await server.admin.raw("GET", filePath(file));
    const content = await response.text();
    const isThere = response.status === 200;
    expect([200, 404]).toContain(response.status);
    const call = { file, began, ended: performance.now(), wrote: false };
    return isThere
      ? { ...call, version: versionIn(response), content }
      : { ...call, version: 0, content: "" };
  };
  const client = async (number: number) => {
    for (let step = 0; step < STEPS_EACH; step++) {
      const file = FILES[(number + step) % FILES.length]!;
      const seen = await read(file);
      calls.push(seen);
      // Many write the same: only the version tells their writes apart.
      const content = `${step % 2}`;
      const expected = seen.version === 0 ? { "If-None-Match": "*" } : { "If-Match": `"${seen.version}"` };
      const began = performance.now();
      const response = await server.admin.raw("PUT", filePath(file), { body: content, headers: expected });
      const ended = performance.now();
      await response.arrayBuffer();
      if (response.ok) calls.push({ file, began, ended, version: versionIn(response), content, wrote: true });
      else {
        expect(response.status).toBe(412);
        refused += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));

  expect(refused).toBeGreaterThan(0);
  for (const file of FILES) {
    const mine = calls.filter((call) => call.file === file);
    const writes = mine.filter(({ wrote }) => wrote).toSorted((a, b) => a.version - b.version);
    expect(writes.map(({ version }) => version)).toEqual(writes.map((_, index) => index + 1));
    // Whoever expected version n wrote n + 1, and nobody else did; so a read of n has what the writer of n wrote.
    for (const { version, content } of mine) expect(content).toBe(writes[version - 1]?.content ?? "");
    for (const call of mine) {
      const ackedBefore = writes.filter(({ ended }) => ended < call.began);
      const newest = Math.max(0, ...ackedBefore.map(({ version }) => version));
      expect(call.version).toBeGreaterThanOrEqual(newest);
      const begunBefore = writes.filter(({ began }) => began < call.ended);
      expect(call.version).toBeLessThanOrEqual(Math.max(0, ...begunBefore.map(({ version }) => version)));
    }
  }
});
