// Goal: for any sequence of writes, deletions and edits by hand, a search finds exactly the files on disk whose text matches.

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bytes } from "../../kit/store/file-engine.ts";
import { doors, type OpenedDoor } from "../../kit/context/space-doors.ts";

const HISTORIES = 15;
const STEPS_MAX = 12;

const anyPath = fc.constantFrom("a.md", "b.yaml", "d/c.txt", "d/ü x.md", "d/e/no-extension");
const anyWord = fc.constantFrom("red", "Green", "blue", "Ärger", "reddish", "re", "blue-green");
const anyText = fc
  .array(anyWord, { maxLength: 6 })
  .chain((words) => fc.constantFrom(" ", "\n", "\r\n", ", ").map((between) => words.join(between)));
const anyStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("write" as const), path: anyPath, text: anyText }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("edit" as const), path: anyPath, text: anyText }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), path: anyPath }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove by hand" as const), path: anyPath }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("binary" as const), path: anyPath }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("adopt" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("search" as const) }) },
);
type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

/** Each query with what it means, for a text of whole words. */
const QUERIES: readonly [text: string, regex: boolean, means: (text: string) => boolean][] = [
  ["red", false, (text) => wordsOf(text).includes("red")],
  ["RED green", false, (text) => ["red", "green"].every((word) => wordsOf(text).includes(word))],
  ["red*", false, (text) => wordsOf(text).some((word) => word.startsWith("red"))],
  ["arger", false, (text) => wordsOf(text).includes("arger")],
  ['"blue green"', false, (text) => / blue green( |$)/.test(` ${wordsOf(text).join(" ")}`)],
  ["^red", true, (text) => text.split(/\r?\n/).some((line) => line.startsWith("red"))],
  ["Green$", true, (text) => text.split(/\r?\n/).some((line) => line.endsWith("Green"))],
];

function wordsOf(text: string): string[] {
  return (
    text
      .normalize("NFD")
      .replaceAll(/\p{M}/gu, "")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

async function take({ space, tree }: OpenedDoor, disk: Map<string, string>, step: Step): Promise<void> {
  if (step.do === "search") return compare(space, disk);
  if (step.do === "adopt") return void (await space.adopt());
  // Nobody edits a file in the moment between a commit and its copy on disk.
  await space.list();
  const file = join(tree, step.path);
  if (step.do === "write") {
    await space.write(step.path, bytes(step.text), undefined);
    disk.set(step.path, step.text);
  } else if (step.do === "delete") {
    await space.remove(step.path, undefined).catch(() => undefined);
    // An edited file is recorded first, and a file without a version stays.
    const listed = await space.list({ prefix: step.path });
    if (listed.length === 0) disk.delete(step.path);
  } else if (step.do === "remove by hand") {
    rmSync(file, { force: true });
    disk.delete(step.path);
  } else {
    const content = step.do === "binary" ? "red\0Green" : step.text;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    disk.set(step.path, content);
  }
}

async function compare(space: OpenedDoor["space"], disk: ReadonlyMap<string, string>): Promise<void> {
  for (const [text, regex, means] of QUERIES) {
    const { results, more } = await space.search({ text, regex });
    const wanted = [...disk].filter(([, content]) => !content.includes("\0") && means(content));
    expect([text, results.map(({ path }) => path).sort(), more]).toEqual([
      text,
      wanted.map(([path]) => path).sort(),
      false,
    ]);
    for (const { lines } of results) for (const { ranges } of lines) expect(ranges.length).toBeGreaterThan(0);
  }
}

for (const [kind, open] of Object.entries(doors))
  test(`a search equals a scan of the disk: ${kind}`, async () => {
    await using door = await open();
    const run = async (steps: readonly Step[]) => {
      const disk = new Map<string, string>();
      for (const { path } of await door.space.list()) {
        rmSync(join(door.tree, path), { force: true });
        await door.space.remove(path, undefined).catch(() => undefined);
      }
      for (const step of steps) await take(door, disk, step);
      await compare(door.space, disk);
    };
    await fc.assert(fc.asyncProperty(fc.array(anyStep, { maxLength: STEPS_MAX }), run), {
      numRuns: HISTORIES,
    });
  });

test("an edit of the same size within the same moment is found, and so is one that sets the time back", async () => {
  await using door = await doors["a folder"]!();
  const { space, tree } = door;
  const found = async (text: string) => (await space.search({ text })).results.map(({ path }) => path);
  await space.write("a.md", bytes("first"), null);
  expect(await found("first")).toEqual(["a.md"]);
  for (const word of ["other", "third", "again"]) {
    writeFileSync(join(tree, "a.md"), word);
    expect(await found(word)).toEqual(["a.md"]);
  }
  const past = new Date("2020-01-01T00:00:00Z");
  utimesSync(join(tree, "a.md"), past, past);
  expect(await found("again")).toEqual(["a.md"]);
  writeFileSync(join(tree, "a.md"), "fifth");
  utimesSync(join(tree, "a.md"), past, past);
  expect([await found("again"), await found("fifth")]).toEqual([[], ["a.md"]]);
});
