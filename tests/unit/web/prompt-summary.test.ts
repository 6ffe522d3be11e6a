// Goal: what changed between two prompts is summed up in words, the conversation comes first and the tools last, by name.

import { expect, test } from "bun:test";
import {
  inReadingOrder,
  type PromptChange,
  summaryOf,
  toolChanges,
} from "../../../web/kit/prompt-summary.ts";

const tools = (...names: string[]) =>
  JSON.stringify(names.map((name) => ({ name, description: `Does ${name}.`, parameters: {} })));
const change = (
  kind: PromptChange["kind"],
  what: PromptChange["change"],
  texts: Partial<PromptChange> = {},
): PromptChange => ({
  change: what,
  kind,
  source: `${kind}:1`,
  before: null,
  after: null,
  ...texts,
});
const diff = (changes: PromptChange[], same = 2) => ({ from: 1, to: 2, same, changes });

test("summarizes added tools and messages", () => {
  const offered = change("tools", "changed", {
    before: tools("file_list"),
    after: tools("delegate", "file_list"),
  });
  const found = diff([
    offered,
    change("entry", "same"),
    ...Array.from({ length: 3 }, () => change("entry", "added")),
  ]);
  expect(summaryOf(found)).toEqual(["+1 tool: delegate", "+3 messages"]);
  expect(inReadingOrder(found)).toEqual({ changed: [...found.changes.slice(2), offered], unchanged: 3 });
  expect(toolChanges(offered)!.map(({ name, change: what }) => [name, what])).toEqual([
    ["delegate", "added"],
    ["file_list", "same"],
  ]);
});

test.each<[string, PromptChange[], string[]]>([
  ["nothing", [change("entry", "same")], []],
  ["the role", [change("role", "changed")], ["role changed"]],
  [
    "one of each",
    [change("instruction", "removed"), change("context", "added"), change("notice", "added")],
    ["+1 notice", "−1 instruction", "+1 document"],
  ],
  ["first tools", [change("tools", "added", { after: tools("b", "a") })], ["+2 tools: a and b"]],
  ["lost tools", [change("tools", "removed", { before: tools("a") })], ["−1 tool: a"]],
  [
    "many tools",
    [change("tools", "added", { after: tools("a", "b", "c", "d", "e", "f") })],
    ["+6 tools: a, b, c, d, and 2 more"],
  ],
  [
    "a described anew",
    [change("tools", "changed", { before: tools("a"), after: tools("a").replace("Does", "Makes") })],
    ["1 tool changed: a"],
  ],
  [
    "no list of tools",
    [change("tools", "changed", { before: "not JSON", after: tools("a") })],
    ["tools changed"],
  ],
])("summarizes %s", (_, changes, words) => {
  expect(summaryOf(diff(changes))).toEqual(words);
});
