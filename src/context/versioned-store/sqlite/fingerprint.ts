// One short text for the state of all files on disk: while it is the same, so are their contents (signature.ts).

import { Stretch, turnOfOthers } from "../../../kit/clock.ts";
import type { Look } from "../engine.ts";
import type { FileFacts } from "./look-job.ts";
import { mayChangeUnseen } from "./signature.ts";
import type { FoundFile, RefusedEntry } from "./walk.ts";

/** As `Look` has them. */
const FACTS = 4;
const FILES_AT_FIRST = 1_024;

/** `now`: ms since the epoch, before the files were looked at. Undefined: a file may still change without a new signature. Pauses. */
export async function lookOf(
  entries: Iterable<FoundFile | RefusedEntry>,
  now: number,
): Promise<Look | undefined> {
  const names: string[] = [];
  let facts = new Float64Array(FILES_AT_FIRST * FACTS);
  const stretch = new Stretch();
  for (const found of entries) {
    if (stretch.isOver()) await turnOfOthers();
    if (!("stats" in found)) continue;
    if (mayChangeUnseen(found.stats, now)) return undefined;
    const at = names.push(found.name) * FACTS - FACTS;
    if (at === facts.length) facts = doubled(facts);
    keep(facts, at, found.stats);
  }
  const joined = names.join("\n");
  const bytes = new Uint8Array(facts.buffer, 0, names.length * FACTS * Float64Array.BYTES_PER_ELEMENT);
  return {
    fingerprint: `${Bun.hash(bytes).toString(36)}-${Bun.hash(joined).toString(36)}`,
    names: joined,
    facts: facts.subarray(0, names.length * FACTS),
  };
}

function keep(facts: Float64Array, at: number, { size, mtimeMs, ctimeMs, ino }: FileFacts): void {
  facts[at] = size;
  facts[at + 1] = mtimeMs;
  facts[at + 2] = ctimeMs;
  facts[at + 3] = ino;
}

function doubled(list: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(list.length * 2);
  longer.set(list);
  return longer;
}
