// Goal: a folder that cannot be written answers every question as before, refuses every change with the reason, and stays as it is.

import { expect } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createLocalSpace } from "../../src/context/space/local.ts";
import { asNobody, bound, giveToNobody } from "../kit/as-nobody.ts";
import { runBinary } from "../kit/binaries.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { replica } from "../kit/context/replica.ts";
import { localDeps } from "../kit/context/space-doors.ts";
import { pictureOf, temporaryFolder, type Folder } from "../kit/folder.ts";
import { mounting, NOT_MOUNTED } from "../kit/small-disk.ts";

type Run = typeof asNobody;

/** Questions to a space. */
const QUESTIONS: readonly string[][] = [
  ["status"],
  ["status", "--json"],
  ["file", "list"],
  ["file", "get", "a.md"],
  ["file", "history", "a.md"],
  ["file", "diff", "a.md"],
  ["search", "edited"],
  ["search", "--regex", "o.e"],
  ["graph"],
  ["graph", "a.md"],
  ["graph", "--broken"],
  ["freshness", "check"],
  ["conflict", "list"],
  ["history", "list"],
  ["context", "inject"],
  ["export"],
  ["space", "show"],
];

/** Those of them that read in another way than the others: the database, the index, the graph, documents. */
const EACH_WAY = QUESTIONS.filter((question) =>
  ["status", "file history a.md", "search edited", "graph", "context inject"].includes(question.join(" ")),
);

const CHANGES: readonly string[][] = [
  ["file", "put", "b.md", "--from", "a.md"],
  ["file", "delete", "a.md"],
  ["file", "destroy", "a.md", "--version", "v1", "--yes"],
  ["space", "adopt"],
  ["space", "sync", "set", "docs/", "never"],
  ["history", "snapshot", "now"],
];

/** A space with an edit that has no version, and a folder for temporary files. */
async function notes(folder: Folder) {
  const at = (name: string) => join(folder.path, name);
  chmodSync(folder.path, 0o755);
  for (const name of ["home", "scratch"]) mkdirSync(at(name), { mode: 0o777 });
  await folder.write("notes/a.md", "one [b](b.md)\n");
  for (const name of ["notes", "home", "scratch"]) giveToNobody(at(name));
  const surroundings = {
    cwd: at("notes"),
    environment: { HOME: at("home"), TMPDIR: at("scratch"), SERVICE_DIR: "", SERVICE_SERVER_DIR: "" },
  };
  const asOwner = (...args: string[]) => asNobody(args, surroundings);
  await asOwner("init", "solo", "--dir", at("notes"), "--template", "blank", "--adopt");
  await asOwner("search", "one");
  await Bun.write(join(at("notes"), "a.md"), "one edited [b](b.md)\n");
  return { at, surroundings, asOwner };
}

async function askedAll(run: (...args: string[]) => ReturnType<Run>, questions = QUESTIONS) {
  const answers = [];
  for (const question of questions) answers.push({ question, ...(await run(...question)) });
  return answers;
}

async function refusedAll(run: (...args: string[]) => ReturnType<Run>, directory: string, reason: string) {
  const own = join(directory, ".cairn");
  const refusal = `Error: nothing can be recorded: ${own} cannot be written: ${reason}; make it writable, or copy the folder\n`;
  for (const change of CHANGES) {
    const { exitCode, stderr } = await run(...change);
    expect([change, exitCode, stderr]).toEqual([change, 1, refusal]);
  }
}

/** Changes the modes of a folder and of everything in it. */
function setModes(directory: string, modes: { readonly folder: number; readonly file: number }): void {
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? modes.folder : modes.file);
  chmodSync(directory, modes.folder);
}

const OPEN = { folder: 0o700, file: 0o600 };
const SHUT = { folder: 0o500, file: 0o400 };

bound("a folder whose modes forbid it is read, and nothing in it changes", async () => {
  await using folder = await temporaryFolder();
  const { at, asOwner } = await notes(folder);
  const before = await askedAll(asOwner);
  expect(before.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
  setModes(at("notes"), SHUT);
  try {
    const picture = pictureOf(at("notes"));
    expect(await askedAll(asOwner)).toEqual(before);
    await refusedAll(asOwner, at("notes"), "permission denied");
    expect(pictureOf(at("notes"))).toEqual(picture);
  } finally {
    setModes(at("notes"), OPEN);
  }
  expect(readdirSync(at("scratch"))).toEqual([]);
});

mounting("so is one on a read-only disk", async () => {
  await using folder = await temporaryFolder();
  const { at, surroundings } = await notes(folder);
  const asRoot = (...args: string[]) => runBinary("cairn", args, surroundings);
  const before = await askedAll(asRoot, EACH_WAY);
  const mount = (...args: string[]) =>
    Bun.spawnSync(["mount", ...args], { stdio: ["ignore", "ignore", "ignore"] });
  const place = at("notes");
  if (mount("--bind", place, place).exitCode !== 0) return console.log(NOT_MOUNTED);
  try {
    expect(mount("-o", "remount,ro,bind", place).exitCode).toBe(0);
    const picture = pictureOf(place);
    expect(await askedAll(asRoot, EACH_WAY)).toEqual(before);
    await refusedAll(asRoot, place, "the disk is read-only");
    expect(pictureOf(place)).toEqual(picture);
  } finally {
    Bun.spawnSync(["umount", place]);
  }
  expect(readdirSync(at("scratch"))).toEqual([]);
});

bound("versions that are only in the log of a crashed or running command are read, too", async () => {
  await using folder = await temporaryFolder();
  const { at, surroundings } = await notes(folder);
  const running = await createLocalSpace(
    { directory: at("running"), name: "main", template: "blank" },
    localDeps,
  );
  await running.write("new.md", new TextEncoder().encode("only in the log\n"), null);
  cpSync(at("running"), at("crashed"), { recursive: true, preserveTimestamps: true });
  await running.close();
  expect(readdirSync(at("crashed/.cairn"))).toContain("space.db-wal");
  giveToNobody(at("crashed"));
  setModes(at("crashed"), SHUT);
  const picture = pictureOf(at("crashed"));
  const asOwner = (...args: string[]) => asNobody([...args, "--dir", at("crashed")], surroundings);
  expect(await asOwner("file", "get", "new.md", "--version", "v1")).toEqual({
    exitCode: 0,
    stdout: "only in the log\n",
    stderr: "",
  });
  expect(pictureOf(at("crashed"))).toEqual(picture);
  setModes(at("crashed"), OPEN);
  expect(readdirSync(at("scratch"))).toEqual([]);
});

bound("a pipe in place of the database is refused at once", async () => {
  await using folder = await temporaryFolder();
  const { at, asOwner } = await notes(folder);
  const database = at("notes/.cairn/space.db");
  rmSync(database);
  execFileSync("mkfifo", [database]);
  giveToNobody(at("notes"));
  setModes(at("notes"), SHUT);
  const answer = await asOwner("file", "list");
  setModes(at("notes"), OPEN);
  expect(answer).toEqual({ exitCode: 1, stdout: "", stderr: `Error: ${database}: not a regular file\n` });
  expect(readdirSync(at("scratch"))).toEqual([]);
});

bound("a copy of a server says which server it follows, and does not sync", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer({ files: { "a.md": "one\n" } });
  const { token } = await server.user("ann", "contributor");
  const directory = join(folder.path, "copy");
  await replica({ directory, url: server.url, token }).join();
  chmodSync(folder.path, 0o755);
  await folder.write("scratch/.keep", "");
  for (const name of ["copy", "scratch"]) giveToNobody(join(folder.path, name));
  const environment = {
    HOME: directory,
    TMPDIR: join(folder.path, "scratch"),
    SERVICE_TOKEN: token,
    SERVICE_TOKEN_SERVER: server.url,
    SERVICE_DIR: directory,
  };
  setModes(directory, SHUT);
  const status = await asNobody(["status", "--json"], { environment });
  const sync = await asNobody(["sync"], { environment });
  setModes(directory, OPEN);
  expect([status.exitCode, status.stderr, JSON.parse(status.stdout).sync]).toEqual([
    0,
    "",
    { server: server.url, space: "team", user: "ann" },
  ]);
  expect([sync.exitCode, sync.stdout]).toEqual([1, ""]);
  expect(sync.stderr).toContain("cannot be written: permission denied");
  expect(readdirSync(join(folder.path, "scratch"))).toEqual([".keep"]);
});
