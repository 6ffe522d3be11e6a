// Goal: the benchmark gives the same figures each time, counts every phrasing, and says what phrasing does to reach.

import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchContext, parseTasks } from "../../../src/context/delivery/bench.ts";
import { doorSource } from "../../../src/context/delivery/door-source.ts";
import type { ContextSource } from "../../../src/context/delivery/source.ts";
import { countTexts } from "../../../src/kit/text/token-count.ts";
import { until } from "../../kit/eventually.ts";
import { bytes } from "../../kit/store/file-engine.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { doors, noWait } from "../../kit/context/space-doors.ts";
import { refusal } from "../../kit/http/refusal.ts";

const FILES: Record<string, string> = {
  "context-entry.md": "# Start here\n\nReleases happen on Tuesdays.\n",
  "decisions.md": "# Decisions\n\nWe chose SQLite because one file is easy to copy.\n",
  "notes/aaa.md": "# Aaa\n\nstorage\n",
  "notes/alpha.md": "# Alpha\n\nalpha beta storage\n",
  "notes/gamma.md": "# Database engine\n\ngamma delta\n",
  "notes/omega.md": "# Omega\n\nnothing of interest\n",
};

/** Finds files with all words, by path. */
function source(files = FILES): ContextSource {
  return {
    name: "main",
    head: async () => "0123456789ab.5",
    list: async () =>
      Object.entries(files).map(([path, text]) => ({
        path,
        version: 1,
        size: text.length,
        hash: "0".repeat(64),
        updated_at: "2026-11-22T00:00:00Z",
        author: "ada",
        state: "live" as const,
        mode: "always" as const,
      })),
    read: async (path) => ({ path, version: 1, state: "live", bytes: new TextEncoder().encode(files[path]) }),
    readMany: async () => new Map(),
    history: async (path) => ({ path, tracked: true, current: 1, versions: [] }),
    facts: async () => ({ ranks: new Map(), stale: new Set(), important: new Set(), links: new Map() }),
    search: async (words, limit) =>
      Object.entries(files)
        .filter(([, text]) => words.split(" ").every((word) => text.toLowerCase().includes(word)))
        .map(([path]) => path)
        .slice(0, limit),
  };
}

const deps = { clock: manualClock(), count: countTexts };
const TASKS = `
tasks:
  - question: When do releases happen?
    answers: [context-entry.md]
  - question: Why did we choose SQLite?
    phrasings:
      - Which database engine is behind it, and for what reason?
      - Why is our persistence layer the way it is?
    answers: [decisions.md]
  - question: What about alpha?
    phrasings: ["beta storage"]
    answers: [missing.md, notes/alpha.md]
  - question: Who knows about omega particles?
    phrasings: [Unrelated wording entirely]
    answers: [notes/omega.md]
`;

describe("the benchmark", () => {
  const tasks = parseTasks(TASKS.replace("missing.md, ", ""));

  test("counts reach and tokens of each arm, and each phrasing", async () => {
    const report = await benchContext(source(), tasks, deps);
    expect(await benchContext(source(), tasks, deps)).toEqual(report);
    expect([report.tasks, report.tasks_with_phrasings, report.questions.length]).toEqual([4, 3, 8]);
    expect(
      report.questions.map(({ task, arms }) => [
        task,
        arms["entry set"].reached,
        arms["map + search"].reached,
      ]),
    ).toEqual([
      // The entry document has it.
      [1, true, true],
      // Found by its word; the words "database engine" lead to another document first, and the third wording to none.
      [2, false, true],
      [2, false, false],
      [2, false, false],
      [3, false, true],
      [3, false, true],
      // Found in the map by its title, since no document has all words.
      [4, false, true],
      [4, false, false],
    ]);
    const [nothing, entry, map] = report.arms;
    expect(nothing).toEqual({
      arm: "nothing",
      reached: 0,
      questions: 8,
      tokens_up_front: 0,
      tokens_fetched: 0,
      by_every_phrasing: 0,
      by_some: 0,
      by_none: 3,
    });
    expect(entry).toMatchObject({
      reached: 1,
      tokens_fetched: 0,
      by_every_phrasing: 0,
      by_some: 0,
      by_none: 3,
    });
    expect(map).toMatchObject({ reached: 5, by_every_phrasing: 1, by_some: 2, by_none: 0 });
    expect(entry!.tokens_up_front).toBeGreaterThan(0);
    expect(map!.tokens_fetched).toBeGreaterThan(0);
    // A document that was in the text from the start costs no fetch.
    expect(report.questions[0]!.arms["map + search"]).toEqual({ reached: true, fetched: 0 });
    // One document has both words, so none of those with one of them is read.
    const [tokens] = countTexts([FILES["notes/alpha.md"]!]);
    expect(report.questions[5]!.arms["map + search"]).toEqual({ reached: true, fetched: tokens! });
  });

  test("the reader gives up after five documents", async () => {
    const files = Object.fromEntries([1, 2, 3, 4, 5, 6].map((number) => [`n${number}.md`, "kangaroo\n"]));
    const reached = async (answer: string) => {
      const asked = parseTasks(`tasks: [{question: kangaroo, answers: [${answer}]}]`);
      return (await benchContext(source(files), asked, deps)).arms[2]!.reached;
    };
    expect([await reached("n5.md"), await reached("n6.md")]).toEqual([1, 0]);
  });

  test("refuses answers that the space does not have, all at once", async () => {
    const wrong = parseTasks(TASKS.replace("[decisions.md]", "[decision.md]"));
    await refusal(
      benchContext(source(), wrong, deps),
      "invalid",
      "the space has no decision.md (task 2), no missing.md (task 3); correct the answers",
    );
  });
});

test("a task file of another form is refused with its first problem", async () => {
  const cases: [string, RegExp][] = [
    ["a: [", /^expected YAML with a list of tasks$/],
    ["", /^the file: expected/],
    ["tasks: []", /^tasks: /],
    ["tasks: [{question: a, answers: []}]", /^tasks\.0\.answers: /],
    ["tasks: [{question: a, answer: [b]}]", /^tasks\.0\.answer/],
    ["tasks: [{question: '', answers: [b]}]", /^tasks\.0\.question: /],
    ["budget: 1\ntasks: [{question: a, answers: [b]}]", /^budget: /],
  ];
  for (const [text, message] of cases) await refusal(() => parseTasks(text), "invalid", message);
});

for (const [kind, open] of Object.entries(doors))
  test(`${kind}: finds answers with the search of the space, edits on disk included`, async () => {
    await using door = await open();
    await door.space.write("decisions.md", bytes(FILES["decisions.md"]!), null);
    await until(() => existsSync(join(door.tree, "decisions.md")));
    writeFileSync(join(door.tree, "new.md"), "Kangaroos jump.\n");
    const tasks = parseTasks(
      "tasks:\n  - {question: Why SQLite?, answers: [decisions.md]}\n  - {question: What do kangaroos do?, answers: [new.md]}\n",
    );
    const { questions } = await benchContext(doorSource(door.space, noWait), tasks, deps);
    expect(questions.map(({ arms }) => arms["map + search"].reached)).toEqual([true, true]);
    expect(questions[0]!.arms["map + search"].fetched).toBeGreaterThan(0);
  });
