// The measure of a worst case: no stretch of the main thread takes more than 50 ms of processor.

import { expect } from "bun:test";
import type { MeasuredServer } from "../../kit/service/measured-server.ts";

const STRETCH_MS_MAX = 50;
/** Each of them may take a few milliseconds between two pauses, but not one after another. */
const READERS = 12;

/** Collecting garbage that others left, or compiling a function, may come into one try; code that takes long does so in each. */
export const TRIES = 4;

export async function expectNobodyWaits(server: MeasuredServer, act: () => Promise<unknown>): Promise<void> {
  const stretches: number[] = [];
  while (stretches.length < TRIES) {
    const longest = await server.longestStretch(act);
    if (longest <= STRETCH_MS_MAX) return;
    stretches.push(Math.round(longest));
  }
  expect({ tries: stretches }).toEqual({ tries: `none of more than ${STRETCH_MS_MAX} ms` } as never);
}

/** One row of a route, asked for by several people at once. */
export function readers<Server>(
  rows: Readonly<Record<string, Readonly<Record<string, (server: Server) => Promise<unknown>>>>>,
  route: string,
  name: string,
): (server: Server) => Promise<unknown> {
  const act = rows[route]![name]!;
  return (server) => Promise.all(Array.from({ length: READERS }, () => act(server)));
}
