// Goal: on a disk that ignores letter case, a rename in case only is a rename, in a folder and between two people.
// Runs where the temporary folder is on such a disk, as on macOS and Windows (elsewhere: TMPDIR on a memory stick).

import { expect, test } from "bun:test";
import { existsSync, readdirSync, renameSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { cairnAt } from "../kit/cli/cairn.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { replica, type Replica } from "../kit/context/replica.ts";
import { temporaryFolder } from "../kit/folder.ts";

async function caseIsIgnored(): Promise<boolean> {
  await using folder = await temporaryFolder();
  await folder.write("a", "");
  return existsSync(join(folder.path, "A"));
}

test.if(await caseIsIgnored())("a renamed file keeps its content when its old name is deleted", async () => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "notes");
  const { printed, said } = cairnAt(["--dir", directory]);
  await cairnAt([]).printed("init", "solo", "--dir", directory, "--non-interactive");
  renameSync(join(directory, "decisions.md"), join(directory, "Decisions.md"));
  await appendFile(join(directory, "Decisions.md"), "mine\n");
  expect(await printed("status")).toContain("  missing    decisions.md\n  refused    Decisions.md\n");
  const clash = 'the disk of the working tree takes it for "Decisions.md"; rename that first';
  await printed("file", "delete", "decisions.md");
  expect(await printed("space", "adopt")).toBe("adopted Decisions.md\n");
  expect(await printed("file", "get", "Decisions.md")).toEndWith("mine\n");
  const source = await folder.write("other", "other");
  await appendFile(join(directory, "New.md"), "new\n");
  expect(await said("file", "put", "new.md", "--from", source)).toEqual([
    1,
    `Error: new.md: ${clash.replace("Decisions", "New")}\n`,
  ]);
});

test.if(await caseIsIgnored())("nothing is written under the old name of a renamed directory", async () => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "notes");
  const { printed, said } = cairnAt(["--dir", directory]);
  await cairnAt([]).printed("init", "solo", "--template", "blank", "--dir", directory, "--non-interactive");
  const source = await folder.write("other", "other");
  await printed("file", "put", "docs/a.md", "--from", source);
  renameSync(join(directory, "docs"), join(directory, "Docs"));
  const clash = (path: string, by: string): [number, string] => [
    1,
    `Error: ${path}: the disk of the working tree takes it for "${by}"; rename that first\n`,
  ];
  const edited = await folder.write("edited", "edited");
  expect(await said("file", "put", "docs/a.md", "--from", edited)).toEqual(clash("docs/a.md", "Docs/a.md"));
  expect(await said("file", "put", "docs/b.md", "--from", edited)).toEqual(clash("docs/b.md", "Docs"));
  expect(await printed("status")).toContain("1 file, 5 B, 1 version\n");
  await printed("file", "delete", "docs/a.md");
  expect(await printed("space", "adopt")).toBe("adopted Docs/a.md\n");
  // Its directory goes with it, so the next name is free.
  await printed("file", "delete", "Docs/a.md");
  await printed("file", "put", "docs/b.md", "--from", edited);
  expect(await printed("status")).toContain("everything on disk is recorded\n");
  expect(readdirSync(join(directory, "docs"))).toEqual(["b.md"]);
});

test.if(await caseIsIgnored())("renames in case only travel in both directions", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const laptop = async (name: string) => {
    const { token } = await server.user(name, "contributor");
    const copy = replica({ directory: join(folder.path, name), url: server.url, token });
    await copy.join();
    return copy;
  };
  await server.admin.write("notes.md", "one\n");
  const [ann, bob] = [await laptop("ann"), await laptop("bob")];
  const names = ({ directory }: Replica) =>
    readdirSync(directory).filter((name) => /^notes\.md$/i.test(name));
  const rename = (from: string, to: string) => async (by: Replica, other: Replica) => {
    renameSync(join(by.directory, from), join(by.directory, to));
    await appendFile(join(by.directory, to), "more\n");
    await by.sync();
    await other.sync();
    expect([names(by), names(other)]).toEqual([[to], [to]]);
    expect(other.read(to)).toBe(by.read(to));
  };
  await rename("notes.md", "Notes.md")(ann, bob);
  await rename("Notes.md", "NOTES.md")(bob, ann);
  // A directory, too.
  await server.admin.write("docs/notes.md", "one\n");
  await ann.sync();
  await bob.sync();
  renameSync(join(ann.directory, "docs"), join(ann.directory, "Docs"));
  await ann.sync();
  await bob.sync();
  expect(readdirSync(bob.directory).filter((name) => /^docs$/i.test(name))).toEqual(["Docs"]);
  expect(bob.read("Docs/notes.md")).toBe("one\n");
});
