// The changes between two prompts, in a few words, and in reading order: the conversation first, the tools last and by name. Pure.

import type { CallDiff } from "../../src/service/turns/schema.ts";
import { list, plural } from "./format.ts";
import { type PartKind, toolsIn } from "./prompt-part.ts";

export type PromptChange = CallDiff["changes"][number];

const ORDER: readonly PartKind[] = ["entry", "notice", "role", "instruction", "context", "tools"];
const NOUNS: Readonly<Record<Exclude<PartKind, "tools">, string>> = {
  entry: "message",
  notice: "notice",
  role: "role",
  instruction: "instruction",
  context: "document",
};
const SIGNS = { added: "+", removed: "−" } as const;
const NAMED_MAX = 4;

/** Changed parts in reading order, and the number of unchanged ones. */
export function inReadingOrder({ same, changes }: CallDiff): {
  readonly changed: readonly PromptChange[];
  readonly unchanged: number;
} {
  const changed = changes.filter(({ change }) => change !== "same");
  return {
    changed: changed.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind)),
    unchanged: same + changes.length - changed.length,
  };
}

export interface ToolChange {
  readonly name: string;
  readonly change: "added" | "removed" | "changed" | "same";
  readonly before: string;
  readonly after: string;
}

/** Undefined if either text is not a list of tools. By name, unchanged ones included. */
export function toolChanges({ before, after }: PromptChange): readonly ToolChange[] | undefined {
  const [was, is] = [textsOf(before), textsOf(after)];
  if (!was || !is) return undefined;
  return [...new Set([...was.keys(), ...is.keys()])].toSorted().map((name) => {
    const [old, now] = [was.get(name), is.get(name)];
    const change =
      old === undefined ? "added" : now === undefined ? "removed" : old === now ? "same" : "changed";
    return { name, change, before: old ?? "", after: now ?? "" };
  });
}

function textsOf(text: string | null): ReadonlyMap<string, string> | undefined {
  if (text === null) return new Map();
  const tools = toolsIn(text);
  return tools && new Map(tools.map(({ name, description, schema }) => [name, `${description}\n${schema}`]));
}

/** `+1 tool: delegate`, `+3 messages`, `role changed`. */
export function summaryOf(diff: CallDiff): readonly string[] {
  const { changed } = inReadingOrder(diff);
  const words = changed.filter(({ kind }) => kind === "tools").flatMap(toolWords);
  for (const kind of ORDER) {
    if (kind === "tools") continue;
    for (const change of ["added", "removed", "changed"] as const) {
      const count = changed.filter((one) => one.kind === kind && one.change === change).length;
      if (count === 0) continue;
      if (change === "changed")
        words.push(kind === "role" ? "role changed" : `${plural(count, NOUNS[kind])} changed`);
      else words.push(`${SIGNS[change]}${plural(count, NOUNS[kind])}`);
    }
  }
  return words;
}

function toolWords(change: PromptChange): string[] {
  const tools = toolChanges(change);
  if (!tools) return ["tools changed"];
  return (["added", "removed", "changed"] as const).flatMap((kind) => {
    const names = tools.filter((tool) => tool.change === kind).map(({ name }) => name);
    if (names.length === 0) return [];
    const more = names.length - NAMED_MAX;
    const shown = more > 0 ? [...names.slice(0, NAMED_MAX), `${more} more`] : names;
    const counted = plural(names.length, "tool");
    return [
      kind === "changed" ? `${counted} changed: ${list(shown)}` : `${SIGNS[kind]}${counted}: ${list(shown)}`,
    ];
  });
}
