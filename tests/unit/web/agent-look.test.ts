// Goal: each agent of a workspace has its own initials and a colour, which stay when agents come, go and are renamed.

import { expect, test } from "bun:test";
import { colourOf, lookOf } from "../../../web/state/agent-look.ts";

const workspace = (names: Readonly<Record<number, string>>) => ({
  agentNames: new Map(Object.entries(names).map(([id, name]) => [Number(id), name])),
});
const initialsOf = (of: ReturnType<typeof workspace>) =>
  [...of.agentNames.keys()].map((id) => lookOf(of, id).initials);

test("gives agents with the same first letters different initials", () => {
  expect(
    initialsOf(workspace({ 1: "orchestrator", 2: "scribe", 3: "scout", 4: "release notes", 5: "sc" })),
  ).toEqual(["OR", "SC", "SO", "RN", "S2"]);
  // Names without letters, and names that differ only at the end.
  expect(initialsOf(workspace({ 1: "!!", 2: "🦊", 3: "a", 4: "a" }))).toEqual(["!!", "🦊", "A", "A2"]);
  const crowd = workspace(Object.fromEntries(Array.from({ length: 200 }, (_, n) => [n + 1, "worker"])));
  expect(new Set(initialsOf(crowd)).size).toBe(200);
});

test("changes no look for a newer agent, and repeats a colour only after six", () => {
  const some = workspace({ 3: "boss", 7: "scribe" });
  const more = workspace({ 3: "boss", 7: "scribe", 9: "scout" });
  for (const id of [3, 7]) expect(lookOf(more, id)).toEqual(lookOf(some, id));
  const seven = workspace({ 1: "a", 2: "b", 3: "c", 4: "d", 5: "e", 6: "f", 7: "g" });
  const colours = [1, 2, 3, 4, 5, 6, 7].map((id) => colourOf(seven, id));
  expect(new Set(colours.slice(0, 6)).size).toBe(6);
  expect(colours[6]).toBe(colours[0]!);
});
