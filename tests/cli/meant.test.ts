// Goal: a path, a word or a flag that a newcomer writes in another way than the command takes it is refused with the one that was meant.

import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { cairnAt, failure } from "../kit/cli/cairn.ts";
import { temporaryFolder } from "../kit/folder.ts";

/** A home with a space in `notes`, and commands that run in a folder of it. */
async function home() {
  const folder = await temporaryFolder();
  const environment = { HOME: folder.path, SERVICE_DIR: "", SERVICE_SERVER_DIR: "" };
  const in_ = (cwd: string) => cairnAt([], { cwd: `${folder.path}/${cwd}`, environment });
  await in_("").printed("init", "solo", "--dir", "notes", "--template", "blank");
  return { folder, in: in_, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const hint = (meant: string) => `\n[info] did you mean ${meant}?\n`;

test("a path from the folder of the shell, as its completion writes it, brings up the path in the space", async () => {
  await using at = await home();
  await at.folder.write("notes/decisions.md", "one\n");
  await at.folder.write("notes/team/release.md", "one\n");
  const { refused, printed } = at.in("notes/team");
  await printed("space", "adopt");
  for (const [path, meant] of [
    [`${at.folder.path}/notes/decisions.md`, "decisions.md"],
    ["../decisions.md", "decisions.md"],
    ["./release.md", "team/release.md"],
    ["release.md", "team/release.md"],
  ] as const)
    expect((await refused("file", "get", path))[1]).toEndWith(hint(meant));
  // One that is to be new.
  for (const path of ["./new.md", `${at.folder.path}/notes/team/new.md`])
    expect((await refused("file", "put", path, "--from", "release.md"))[1]).toEndWith(hint("team/new.md"));
  expect(await refused("file", "get", "/etc/hosts")).toEqual(
    failure("path: must be relative, without a slash at the start"),
  );
});

test("a file that was deleted, and one that cannot be a document, say so", async () => {
  await using at = await home();
  const { refused, printed } = at.in("notes");
  await at.folder.write("notes/a b.md", "one\n");
  await printed("space", "adopt");
  await printed("file", "delete", "a b.md");
  for (const command of ["get", "delete"])
    expect(await refused("file", command, "a b.md")).toEqual(
      failure("file a b.md: not found; it was deleted; restore it with cairn file undelete 'a b.md'"),
    );
  symlinkSync("a.md", `${at.folder.path}/notes/link.md`);
  expect(await refused("file", "get", "link.md")).toEqual(
    failure("file link.md: not found; the file on disk is refused: symbolic links are not followed"),
  );
});

test("a folder as a word brings up --dir, and the words of a query their quotes", async () => {
  await using at = await home();
  const { refused } = at.in("");
  expect((await refused("init", "solo", "my notes"))[1]).toBe(
    `Error: unexpected argument: my notes${hint("--dir 'my notes'")}usage: cairn init solo [flags]\n`,
  );
  expect((await refused("sync", "notes"))[1]).toContain(hint("--dir notes"));
  for (const args of [
    ["sync", "notes", "--dir", "notes"],
    ["history", "list", "notes.md"],
  ])
    expect((await refused(...args))[1]).not.toContain("did you mean");
  expect((await refused("search", "release", "budget", "now", "--dir", "notes"))[1]).toContain(
    hint("'release budget now'"),
  );
  expect((await refused("file", "get", "a.md", "b.md", "--dir", "notes"))[1]).not.toContain("did you mean");
});

test("a word that no file has brings up the beginnings of words", async () => {
  await using at = await home();
  await at.folder.write("notes/a.md", "releases\n");
  const { printed, cairn } = at.in("notes");
  expect(await printed("search", "rel*", "-l")).toBe("a.md\n");
  const none = { exitCode: 0, stdout: "no files match\n" };
  expect(await cairn("search", "rel")).toEqual({
    ...none,
    stderr: "[info] words are matched whole; rel* also finds longer ones\n",
  });
  for (const args of [
    ["zzz*"],
    ['"rel"'],
    ["two words"],
    ["rel", "--path", "b/**"],
    ["xyz", "--regex"],
    ["r"],
  ])
    expect(await cairn("search", ...args)).toEqual({ ...none, stderr: "" });
});
