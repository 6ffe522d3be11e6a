// The limits of a backup: what the same bytes cost at least, and how long others wait meanwhile.

import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Row } from "./row.ts";

export function besideCopying(name: string, measured: number, limit: number, atLeast: number): Row {
  const ratio = limit / measured;
  const target = `≥ ${atLeast} of copying and hashing`;
  return { name, measured, unit: "ms", limit, ratio, target, met: ratio >= atLeast };
}

/** The least that could be done: every file of the data directory read, hashed and written elsewhere. */
export async function copyAndHash(from: string, to: string): Promise<void> {
  rmSync(to, { recursive: true, force: true });
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    const target = join(to, path.slice(from.length));
    await mkdir(dirname(target), { recursive: true });
    writeFileSync(target, bytes);
  }
}

/** One write after the other until the work has ended; how long each took, ms. */
export async function waitsDuring(
  write: (index: number) => Promise<unknown>,
  work: Promise<void>,
): Promise<number[]> {
  const waits: number[] = [];
  const state = { over: false };
  const ended = work.finally(() => (state.over = true));
  while (!state.over) {
    const before = performance.now();
    await write(waits.length);
    waits.push(performance.now() - before);
  }
  await ended;
  return waits;
}
