// Goal: reads and writes of a file are linearizable: versions have no gaps or duplicates, exactly one writer meets a precondition, and no read
// returns anything older than what was acknowledged before it began.

import { expect, test } from "bun:test";
import { contextServer, filePath } from "../kit/context/context-server.ts";

const CLIENTS = 24;
const STEPS_EACH = 30;
const FILES = ["a.md", "b.md", "c.md"];

/** A request as its client saw it. All times come from one clock. */
interface Call {
  readonly file: string;
  readonly began: number;
  readonly ended: number;
  /** The version read or written; 0: no file. */
  readonly version: number;
  readonly content: string;
  readonly wrote: boolean;
}

test("concurrent compare-and-swap writers and readers see one linear history", async () => {
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
      // Many write the same content, so only the version distinguishes their writes.
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
    // Only the writer that expected version n wrote n + 1, so a read of n returns what that writer wrote.
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
