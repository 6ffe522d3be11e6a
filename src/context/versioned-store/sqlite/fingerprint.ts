// One short text for the state of all files on disk: while it is the same, so are their contents (signature.ts).

import { Stretch, turnOfOthers } from "../../../kit/clock.ts";
import { FACTS_PER_FILE, type Look } from "../engine.ts";
import { putFacts } from "./look-job.ts";
import { mayChangeUnseen } from "./signature.ts";
import type { FoundFile, RefusedEntry } from "./walk.ts";

const FILES_AT_FIRST = 1_024;

/** `now`: ms since the epoch, before the files were looked at. Undefined: a file may still change without a new signature. Pauses. */
export async function lookOf(
  entries: Iterable<FoundFile | RefusedEntry>,
  now: number,
): Promise<Look | undefined> {
  const names: string[] = [];
  let facts = new Float64Array(FILES_AT_FIRST * FACTS_PER_FILE);
  const stretch = new Stretch();
  for (const found of entries) {
    if (stretch.isOver()) await turnOfOthers();
    if (!("stats" in found)) continue;
    if (mayChangeUnseen(found.stats, now)) return undefined;
    const at = names.push(found.name) * FACTS_PER_FILE - FACTS_PER_FILE;
    if (at === facts.length) facts = doubled(facts);
    putFacts(facts, at, found.stats);
  }
  const joined = names.join("\n");
  const bytes = new Uint8Array(
    facts.buffer,
    0,
    names.length * FACTS_PER_FILE * Float64Array.BYTES_PER_ELEMENT,
  );
  return {
    fingerprint: `${Bun.hash(bytes).toString(36)}-${Bun.hash(joined).toString(36)}`,
    names: joined,
    facts: facts.subarray(0, names.length * FACTS_PER_FILE),
  };
}

function doubled(list: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(list.length * 2);
  longer.set(list);
  return longer;
}
