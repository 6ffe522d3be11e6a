// Goal: a space in a folder takes its turn with other commands, is made whole or not at all, and never replaces what was in the folder.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LocalCopy } from "../../../src/context/replica/local-copy.ts";
import { createLocalSpace, openLocalSpace } from "../../../src/context/space/local.ts";
import { localSettings } from "../../../src/context/space/settings.ts";
import { diskNote, diskSentence } from "../../../src/context/space/disk-note.ts";
import { templateOperations } from "../../../src/context/spaces/templates.ts";
import { sqlite } from "../../../src/context/versioned-store/sqlite/kind.ts";
import { bytes } from "../../kit/store/file-engine.ts";
import { pictureOf, temporaryFolder } from "../../kit/folder.ts";
import { refusal } from "../../kit/http/refusal.ts";
import { localDeps, PERSON } from "../../kit/context/space-doors.ts";
import { within } from "../../kit/within.ts";

test("starts with every file of the template at v1, written by the person", async () => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "deep", "space");
  const space = await createLocalSpace({ directory, name: "main", template: "team" }, localDeps);
  const files = await space.list();
  await space.close();
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) expect(file).toMatchObject({ version: 1, author: PERSON, state: "live" });
});

test("is made in a folder with files, which stay as they are and are untracked", async () => {
  await using folder = await temporaryFolder();
  await folder.write("notes/today.md", "mine\n");
  const space = await createLocalSpace({ directory: folder.path, name: "main", template: "team" }, localDeps);
  expect(await space.list({ prefix: "notes" })).toMatchObject([{ version: null, state: "untracked" }]);
  await space.close();
  expect(readFileSync(join(folder.path, "notes/today.md"), "utf8")).toBe("mine\n");
});

test("refuses a bad name, a bad template, taken files and a second space, and leaves the folder as it was", async () => {
  await using folder = await temporaryFolder();
  await folder.write("decisions.md", "mine\n");
  const before = pictureOf(folder.path);
  const make = (name: string, template: string) =>
    createLocalSpace({ directory: folder.path, name, template }, localDeps);
  await refusal(make("Not a name", "blank"), "invalid", /^name: /);
  await refusal(make("main", "none"), "invalid", /^template: expected one of /);
  await refusal(make("main", "team"), "conflict", /already has decisions\.md/, {
    blocked_by: ["decisions.md"],
  });
  expect(pictureOf(folder.path)).toEqual(before);
  await (await make("main", "blank")).close();
  await refusal(make("main", "blank"), "conflict", /already holds a space$/);
});

test("refuses a file where the template needs a directory", async () => {
  await using folder = await temporaryFolder();
  await folder.write("team", "in the way");
  const before = pictureOf(folder.path);
  const made = createLocalSpace({ directory: folder.path, name: "main", template: "team" }, localDeps);
  await refusal(made, "conflict", /already has team; choose/, { blocked_by: ["team"] });
  expect(pictureOf(folder.path)).toEqual(before);
});

test("leaves every file of the template that is there already, in any spelling, if it is told to", async () => {
  await using folder = await temporaryFolder();
  const mine = { "Decisions.md": "mine\n", team: "in the way", "identity/ME.md": "me\n" };
  for (const [path, text] of Object.entries(mine)) await folder.write(path, text);
  const made = { directory: folder.path, name: "main", template: "solo", taken: "leave" } as const;
  const space = await createLocalSpace(made, localDeps);
  const files = await space.list();
  await space.close();
  expect(files.map(({ path, version }) => [path, version])).toEqual([
    ["Decisions.md", null],
    ["context-entry.md", 1],
    ["identity/ME.md", null],
    ["projects/example/project.md", 1],
    ["space-index.md", 1],
    ["team", null],
  ]);
  for (const [path, text] of Object.entries(mine))
    expect(readFileSync(join(folder.path, path), "utf8")).toBe(text);
});

test("finishes a creation that a crash interrupted, with every file at v1, and refuses a space that only lost its file", async () => {
  await using folder = await temporaryFolder();
  const directory = folder.path;
  const made = { directory, name: "main", template: "solo" };
  // As after a crash: the files are recorded, and the file that makes the folder a space is not there.
  const engine = sqlite.open({ directory, ...localDeps });
  await engine.apply({ operations: templateOperations("solo").slice(0, 3), author: PERSON });
  await engine.close();
  await refusal(
    openLocalSpace(directory, localDeps),
    "invalid",
    /interrupted; repeat it with cairn init solo/,
  );
  const space = await createLocalSpace(made, localDeps);
  const files = await space.list();
  await space.close();
  expect(files.map(({ version, state }) => [version, state])).toEqual(files.map(() => [1, "live"]));
  expect(files).toHaveLength(7);
  rmSync(join(directory, ".cairn", "space.yaml"));
  await refusal(createLocalSpace(made, localDeps), "conflict", /already holds a space$/);
  await (await openLocalSpace(directory, localDeps)).close();
});

test("removes what it made and nothing else if writing fails", async () => {
  await using folder = await temporaryFolder();
  await folder.write("team/mine.md", "mine\n");
  const names = () => readdirSync(folder.path, { recursive: true }).sort();
  const before = names();
  const clock = {
    ...localDeps.clock,
    now: () => {
      // The space is half made: its database and directory are there.
      if (existsSync(join(folder.path, "decisions.md"))) throw new Error("broken");
      return localDeps.clock.now();
    },
  };
  const made = createLocalSpace(
    { directory: folder.path, name: "main", template: "team" },
    { ...localDeps, clock },
  );
  await expect(made).rejects.toThrow("broken");
  expect(names()).toEqual(before);
});

test("opens no folder without a space", async () => {
  await using folder = await temporaryFolder();
  mkdirSync(join(folder.path, "empty"));
  const directory = join(folder.path, "empty");
  await refusal(openLocalSpace(directory, localDeps), "not_found", /cairn init solo --dir/, { directory });
  expect(existsSync(join(folder.path, "empty", ".cairn"))).toBe(false);
});

test("refuses a space whose database is lost, until a person starts over from the files", async () => {
  await using folder = await temporaryFolder();
  const directory = folder.path;
  const made = await createLocalSpace({ directory, name: "main", template: "blank" }, localDeps);
  await made.write("a.md", bytes("one"), null);
  await made.setSyncRule("drafts/", "never");
  await made.close();
  const database = join(directory, ".cairn", "space.db");
  rmSync(database);
  const before = pictureOf(directory);
  const message = `${database} is missing, but ${join(directory, ".cairn", "space.yaml")} shows that it held the versions of the space; restore it from a backup, or start over from the files, without their history, with cairn init solo --dir ${directory} --force --adopt`;
  await refusal(openLocalSpace(directory, localDeps), "refused", message);
  await refusal(localSettings(directory, localDeps), "refused", message);
  await refusal(
    new LocalCopy(directory).use(() => Promise.resolve()),
    "refused",
    message,
  );
  expect(pictureOf(directory)).toEqual(before);
  const warned: string[] = [];
  const log = { ...localDeps.log, warn: (text: string) => void warned.push(text) };
  const again = await openLocalSpace(directory, { ...localDeps, log, lost: "start over" });
  expect(await again.list()).toMatchObject([{ path: "a.md", version: null, state: "untracked" }]);
  expect([again.name, await again.syncRules()]).toEqual([
    "main",
    expect.objectContaining({ "drafts/": "never" }),
  ]);
  expect(warned).toEqual(["the database is lost; started over from the files, without their history"]);
  await again.close();
  await (await openLocalSpace(directory, localDeps)).close();
});

test("lets a second command wait until the first has closed the space", async () => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "space");
  const first = await createLocalSpace({ directory, name: "main", template: "blank" }, localDeps);
  await first.write("a.md", bytes("a"), null);
  const waiting = Promise.withResolvers<void>();
  const second = openLocalSpace(directory, { ...localDeps, onWait: waiting.resolve });
  await within("the second door waits", waiting.promise);
  await first.close();
  const space = await second;
  expect(await space.list()).toMatchObject([{ path: "a.md" }]);
  await space.close();
});

test("names the files that it could not write to the folder, until they are written", async () => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "space");
  const space = await createLocalSpace({ directory, name: "main", template: "blank" }, localDeps);
  for (const path of ["a.md", "b.md"]) await space.write(path, bytes("1"), null);
  expect(await space.behind()).toEqual([]);
  const blocked = join(directory, "a.md");
  rmSync(blocked);
  await folder.write("space/a.md/in the way.md", "x");
  await space.write("a.md", bytes("2"), 1);
  const behind = [{ path: "a.md", reason: expect.stringMatching(/^(?!a\.md).*in the working tree/) }];
  expect(await space.behind()).toEqual(behind);
  const note = `on disk a.md is out of date: ${(await space.behind())[0]!.reason}`;
  expect(await diskNote(space, "a.md")).toBe(`; ${note}`);
  expect(await diskSentence(space, "b.md", "a.md")).toBe(` But ${note}.`);
  expect([await diskNote(space, "b.md"), await diskSentence(space, "b.md")]).toEqual(["", ""]);
  rmSync(blocked, { recursive: true });
  await space.write("b.md", bytes("2"), 1);
  expect(await space.behind()).toEqual([]);
  expect(readFileSync(blocked, "utf8")).toBe("2");
  await space.close();
});
