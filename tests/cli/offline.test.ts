// Goal: commands on a server that does not run: they wait for each other, and print what a program needs of what they did.

import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { DATABASE_NAME } from "../../src/context/main.ts";
import type { FileRecord } from "../../src/context/versioned-store/schema.ts";
import { binaryPath } from "../kit/binaries.ts";
import { cairnAt, stoppedContext } from "../kit/cli/cairn.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { within } from "../kit/within.ts";

async function stoppedServer() {
  const server = await stoppedContext("blank");
  return {
    ...server,
    async put(path: string, text: string): Promise<void> {
      await server.printed("file", "put", path, "--from", await server.folder.write("content", text));
    },
  };
}

/** Another process that has the data open until it is told to let it go. */
async function holder(directory: string) {
  const database = join(directory, DATABASE_NAME);
  const code = `
    const { openDatabase } = await import(${JSON.stringify(join(ROOT, "src/kit/storage/db.ts"))});
    const db = openDatabase(${JSON.stringify(database)});
    console.log("open");
    for await (const _ of console) break;
    db.close();`;
  const child = Bun.spawn([process.execPath, "-e", code], { stdio: ["pipe", "pipe", "inherit"] });
  await child.stdout.getReader().read();
  return async () => {
    child.stdin.write("close\n");
    await child.stdin.end();
    expect(await within("the holder of the data ends", child.exited)).toBe(0);
  };
}

describe("two commands on the same data", () => {
  test("the second waits for the first, and says so", async () => {
    await using server = await stoppedServer();
    const release = await holder(server.directory);
    const args = ["file", "list", "--server-dir", server.directory];
    const waiting = Bun.spawn([binaryPath("cairn"), ...args], { stdio: ["ignore", "pipe", "pipe"] });
    const talk = waiting.stderr.getReader();
    const { value } = await talk.read();
    expect(new TextDecoder().decode(value)).toContain(
      `another command is using ${server.directory}; waiting for it`,
    );
    await release();
    const ended = [
      await within("the command that waited ends", waiting.exited),
      await waiting.stdout.text(),
      (await talk.read()).done,
    ];
    expect(ended).toEqual([0, "no files\n", true]);
  });

  test("many concurrent commands all succeed", async () => {
    await using server = await stoppedServer();
    const writes = ["a", "b", "c", "d"].map((name) =>
      server.cairn("file", "put", `${name}.md`, "--from", join(server.directory, "server.yaml")),
    );
    expect((await Promise.all(writes)).map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    const listed = await server.data<FileRecord[]>("file", "list");
    expect(listed.map(({ path }) => path)).toEqual(["a.md", "b.md", "c.md", "d.md"]);
  });
});

describe("output of commands for programs", () => {
  test("delete names the version, a stale one is exit code 3 with version and hash", async () => {
    await using server = await stoppedServer();
    await server.put("a.md", "one");
    await server.put("a.md", "two");
    const [exitCode, error] = await server.said("file", "delete", "a.md", "--if-version", "v1", "--json");
    const current = { version: 2, hash: expect.stringMatching(/^[0-9a-f]{64}$/) };
    const problem = "expected v1, but the current version is v2";
    const stale = { code: "stale", message: `a.md: ${problem}`, details: { path: "a.md", problem, current } };
    expect([exitCode, JSON.parse(error)]).toEqual([3, { error: stale }]);
    expect(await server.data<object>("file", "delete", "a.md")).toEqual({
      path: "a.md",
      version: 2,
      head: expect.stringMatching(/\.3$/),
      deleted: true,
    });
  });

  test("sync set says what was and what is; the listing has the mode", async () => {
    await using server = await stoppedServer();
    await server.put("notes/a.md", "one");
    const set = (mode: string) => server.data<object>("space", "sync", "set", "main", "notes", mode);
    expect(await set("init-only")).toMatchObject({ path: "notes/", from: "always", to: "init-only" });
    expect(await set("never")).toEqual({
      path: "notes/",
      from: "init-only",
      to: "never",
      rules: { "identity/": "init-only", "notes/": "never" },
    });
    expect(await server.data<object>("file", "list")).toMatchObject([{ path: "notes/a.md", mode: "never" }]);
  });

  test("diff -U shows as many lines around a change as asked for", async () => {
    await using server = await stoppedServer();
    const lines = Array.from({ length: 9 }, (_, index) => `line ${index}\n`);
    await server.put("a.md", lines.join(""));
    await server.put("a.md", lines.with(4, "changed\n").join(""));
    const hunk = async (...flags: string[]) =>
      (await server.printed("file", "diff", "a.md", ...flags)).split("\n")[2];
    expect([await hunk(), await hunk("-U", "0"), await hunk("--unified", "100")]).toEqual([
      "@@ -2,7 +2,7 @@",
      "@@ -5,1 +5,1 @@",
      "@@ -1,9 +1,9 @@",
    ]);
    const [, said] = await server.said("file", "diff", "a.md", "-U", "x");
    expect(said).toBe('Error: --unified "x": expected a whole number\n');
  });
});

test("init server prefers --data-dir to --server-dir, and both to SERVICE_SERVER_DIR", async () => {
  await using folder = await temporaryFolder();
  const place = (name: string) => join(folder.path, name);
  const { cairn } = cairnAt(["--space", "main", "--admin", "ada"], {
    environment: { SERVICE_SERVER_DIR: place("variable") },
  });
  await cairn("init", "server", "--data-dir", place("first"), "--server-dir", place("second"));
  await cairn("init", "server", "--server-dir", place("second"));
  await cairn("init", "server");
  for (const name of ["first", "second", "variable"])
    expect([name, existsSync(join(place(name), "server.yaml"))]).toEqual([name, true]);
});
