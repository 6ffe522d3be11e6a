// Computes, with pauses, the operations that restore a space to an earlier state. Applies nothing.

import { LIGHT_STEPS, Stretch, turnOfOthers } from "../../../kit/clock.ts";
import type { DocumentPath } from "../../../kit/text/paths.ts";
import type { Operation } from "../engine.ts";
import type { Reading } from "./reading.ts";
import type { SpaceStore } from "./store.ts";

interface Difference {
  readonly operations: Operation[];
  /** Files whose content at that time is no longer stored. */
  readonly lost: DocumentPath[];
  /** The change that this difference is relative to. */
  readonly at: number;
}

/** Returns the difference to the space after change `seq`. A concurrent write invalidates it: check that the space is still at `at`. */
export async function differenceTo(store: SpaceStore, reading: Reading, seq: number): Promise<Difference> {
  const at = store.space.get()!.seq;
  const then = await reading.asOf(seq);
  const thenPaths = new Set<string>(then.map(({ path }) => path));
  const found: { readonly id: number; readonly operation: Operation }[] = [];
  const lost: DocumentPath[] = [];
  const stretch = new Stretch(LIGHT_STEPS);
  for (const { id, path, live } of await reading.rows())
    if (live !== null && !thenPaths.has(path))
      found.push({ id, operation: { op: "delete", path: path as DocumentPath } });
  for (const { path: text, version, hash } of then) {
    if (stretch.isOver()) await turnOfOthers();
    const path = text as DocumentPath;
    const now = store.file.get(path)!;
    if (now.live !== null && now.hash === hash) continue;
    if (store.version.get(now.id, version)!.blob_id === null) lost.push(path);
    else
      found.push({ id: now.id, operation: { op: "put", path, content: reading.read(path, version)!.bytes } });
  }
  // In the order of the rows, few pages are written to the WAL twice, which would make COMMIT compute the checksums of all later ones again.
  found.sort((a, b) => a.id - b.id);
  return { operations: found.map(({ operation }) => operation), lost, at };
}
