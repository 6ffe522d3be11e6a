// What has to be done to make a space what it was: found with pauses, and nothing of it is done here.

import { Stretch, turnOfOthers } from "../../../kit/clock.ts";
import type { DocumentPath } from "../../../kit/paths.ts";
import type { Operation } from "../engine.ts";
import type { Reading } from "./reading.ts";
import type { SpaceStore } from "./store.ts";

export interface Difference {
  readonly operations: Operation[];
  /** Of what they were then, nothing is kept. */
  readonly lost: DocumentPath[];
  /** After which change all of this is so. */
  readonly at: number;
}

/** To the space as it was after change `seq`. What is written meanwhile makes it wrong: ask whether the space is still at `at`. */
export async function differenceTo(store: SpaceStore, reading: Reading, seq: number): Promise<Difference> {
  const at = store.space.get()!.seq;
  const then = await reading.asOf(seq);
  const thenPaths = new Set<string>(then.map(({ path }) => path));
  const operations: Operation[] = [];
  const lost: DocumentPath[] = [];
  const stretch = new Stretch();
  for (const { path, live } of await reading.rows())
    if (live !== null && !thenPaths.has(path)) operations.push({ op: "delete", path: path as DocumentPath });
  for (const { path: text, version, hash } of then) {
    if (stretch.isOver()) await turnOfOthers();
    const path = text as DocumentPath;
    const now = store.file.get(path)!;
    if (now.live !== null && now.hash === hash) continue;
    if (store.version.get(now.id, version)!.blob_id === null) lost.push(path);
    else operations.push({ op: "put", path, content: reading.read(path, version)!.bytes });
  }
  return { operations, lost, at };
}
