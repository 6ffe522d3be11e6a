// Computes the difference between two prompts: their common start, and the added, removed and changed parts.

import { Stretch, turnOfOthers } from "../../kit/clock.ts";
import type { ShownPart } from "../conversation/sent-prompts.ts";
import type { CallDiff } from "./schema.ts";

type Change = CallDiff["changes"][number];

/** Prompts mostly grow at the end, so the common start is only counted; the rest is aligned by source. */
export async function diffParts(
  before: readonly ShownPart[],
  after: readonly ShownPart[],
): Promise<{ readonly same: number; readonly changes: Iterable<Change> }> {
  let same = 0;
  const stretch = new Stretch();
  while (same < before.length && same < after.length && equal(before[same]!, after[same]!)) {
    same += 1;
    if (stretch.isOver()) await turnOfOthers();
  }
  return { same, changes: changesOf(before.slice(same), after.slice(same)) };
}

function* changesOf(before: readonly ShownPart[], after: readonly ShownPart[]): Generator<Change> {
  const removed = new Map<string, ShownPart[]>();
  // Reverse order, so that `pop` returns the first part of a source.
  for (const part of before.toReversed()) {
    const others = removed.get(part.source);
    if (others) others.push(part);
    else removed.set(part.source, [part]);
  }
  const left = new Set(before);
  for (const part of after) {
    const was = removed.get(part.source)?.pop();
    if (was) left.delete(was);
    yield was ? alike(was, part) : change("added", part, null, wordsOf(part));
  }
  for (const part of left) yield change("removed", part, wordsOf(part), null);
}

function alike(before: ShownPart, after: ShownPart): Change {
  return change(equal(before, after) ? "same" : "changed", after, wordsOf(before), wordsOf(after));
}

function change(
  kind: Change["change"],
  part: ShownPart,
  before: string | null,
  after: string | null,
): Change {
  return { change: kind, kind: part.kind, source: part.source, before, after };
}

function equal(a: ShownPart, b: ShownPart): boolean {
  return (
    a.kind === b.kind &&
    a.source === b.source &&
    a.role === b.role &&
    a.call_id === b.call_id &&
    a.text === b.text &&
    areSame(attachmentsOf(a), attachmentsOf(b)) &&
    areSame(callsOf(a), callsOf(b))
  );
}

function areSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, index) => text === b[index]);
}

function wordsOf(part: ShownPart): string {
  return [...attachmentsOf(part), part.text, ...callsOf(part)].filter((text) => text !== "").join("\n");
}

function callsOf({ calls }: ShownPart): string[] {
  return calls.map((call) => `${call.name} ${call.arguments}`);
}

function attachmentsOf({ attachments }: ShownPart): string[] {
  return attachments.map(
    ({ name, media_type: type, bytes, hash, as, note }) =>
      `[${name} · ${type} · ${bytes} bytes · sha256:${hash} · ${note ?? `sent as ${as}`}]`,
  );
}
