// The difference between two prompts, part by part: what both begin with, what came, what went, what changed its words.

import type { PromptPart } from "../conversation/schema.ts";
import type { CallDiff } from "./schema.ts";

type Change = CallDiff["changes"][number];

/** Prompts mostly grow at the end, so the common beginning is only counted; the rest is aligned by source. */
export function diffParts(
  before: readonly PromptPart[],
  after: readonly PromptPart[],
): Pick<CallDiff, "same" | "changes"> {
  let same = 0;
  while (same < before.length && same < after.length && equal(before[same]!, after[same]!)) same += 1;
  const removed = Map.groupBy(before.slice(same), (part) => part.source);
  const changes: Change[] = [];
  for (const part of after.slice(same)) {
    const was = removed.get(part.source)?.shift();
    changes.push(was ? alike(was, part) : change("added", part, null, wordsOf(part)));
  }
  for (const rest of removed.values())
    for (const part of rest) changes.push(change("removed", part, wordsOf(part), null));
  return { same, changes };
}

function alike(before: PromptPart, after: PromptPart): Change {
  return change(equal(before, after) ? "same" : "changed", after, wordsOf(before), wordsOf(after));
}

function change(
  kind: Change["change"],
  part: PromptPart,
  before: string | null,
  after: string | null,
): Change {
  return { change: kind, kind: part.kind, source: part.source, before, after };
}

function equal(a: PromptPart, b: PromptPart): boolean {
  return (
    a.kind === b.kind &&
    a.source === b.source &&
    a.role === b.role &&
    a.call_id === b.call_id &&
    wordsOf(a) === wordsOf(b)
  );
}

function wordsOf(part: PromptPart): string {
  const calls = part.calls.map((call) => `${call.name} ${call.arguments}`);
  return [part.text, ...calls].filter((text) => text !== "").join("\n");
}
