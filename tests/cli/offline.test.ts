// Goal: commands on a server that does not run: they wait for each other, and print what a program needs of what they did.

import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { DATABASE_NAME } from "../../src/context/main.ts";
import { binaryPath, runBinary, type Surroundings } from "../kit/binaries.ts";
import { temporaryFolder } from "../kit/folder.ts";

async function stoppedServer() {
  const folder = await temporaryFolder();
  const directory = join(folder.path, "server");
  const cairn = (...args: string[]) => runBinary("cairn", [...args, "--server-dir", directory]);
  const names = ["--space", "main", "--admin", "ada", "--template", "blank"];
  const made = await runBinary("cairn", ["init", "server", "--data-dir", directory, ...names]);
  expect(made.exitCode).toBe(0);
  return {
    directory,
    cairn,
    async data(...args: string[]): Promise<unknown> {
      const { stdout, stderr } = await cairn(...args, "--json");
      if (stdout === "") throw new Error(stderr);
      return JSON.parse(stdout);
    },
    async put(path: string, text: string): Promise<void> {
      const file = join(folder.path, "content");
      writeFileSync(file, text);
      expect((await cairn("file", "put", path, "--from", file)).stderr).toBe("");
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Another process that has the data open until it is told to let it go. */
async function holder(directory: string) {
  const database = join(directory, DATABASE_NAME);
  const code = `
    const { openDatabase } = await import(${JSON.stringify(join(ROOT, "src/kit/db.ts"))});
    const db = openDatabase(${JSON.stringify(database)});
    console.log("open");
    for await (const _ of console) break;
    db.close();`;
  const child = Bun.spawn([process.execPath, "-e", code], { stdio: ["pipe", "pipe", "inherit"] });
  await child.stdout.getReader().read();
  return async () => {
    child.stdin.write("close\n");
    await child.stdin.end();
    expect(await child.exited).toBe(0);
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
      `another command has ${server.directory} open; waiting until it is done`,
    );
    await release();
    expect([await waiting.exited, await waiting.stdout.text(), (await talk.read()).done]).toEqual([
      0,
      "no files\n",
      true,
    ]);
  });

  test("many at once are all done", async () => {
    await using server = await stoppedServer();
    const writes = ["a", "b", "c", "d"].map((name) =>
      server.cairn("file", "put", `${name}.md`, "--from", join(server.directory, "server.yaml")),
    );
    expect((await Promise.all(writes)).map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    const listed = (await server.data("file", "list")) as { path: string }[];
    expect(listed.map(({ path }) => path)).toEqual(["a.md", "b.md", "c.md", "d.md"]);
  });
});

describe("what commands print for programs", () => {
  test("delete names the version, a stale one is exit code 3 with version and hash", async () => {
    await using server = await stoppedServer();
    await server.put("a.md", "one");
    await server.put("a.md", "two");
    const stale = await server.cairn("file", "delete", "a.md", "--if-version", "v1", "--json");
    expect([stale.exitCode, JSON.parse(stale.stderr)]).toEqual([
      3,
      {
        error: {
          code: "stale",
          message: "a.md: expected v1, but the current version is v2",
          details: { path: "a.md", current: { version: 2, hash: expect.stringMatching(/^[0-9a-f]{64}$/) } },
        },
      },
    ]);
    expect(await server.data("file", "delete", "a.md")).toEqual({
      path: "a.md",
      version: 2,
      head: expect.stringMatching(/\.3$/),
      deleted: true,
    });
  });

  test("sync set says what was and what is; the listing has the mode", async () => {
    await using server = await stoppedServer();
    await server.put("notes/a.md", "one");
    const set = (mode: string) => server.data("space", "sync", "set", "main", "notes", mode);
    expect(await set("init-only")).toMatchObject({ path: "notes/", from: "always", to: "init-only" });
    expect(await set("never")).toEqual({
      path: "notes/",
      from: "init-only",
      to: "never",
      rules: { "identity/": "init-only", "notes/": "never" },
    });
    expect(await server.data("file", "list")).toMatchObject([{ path: "notes/a.md", mode: "never" }]);
  });

  test("diff -U shows as many lines around a change as asked for", async () => {
    await using server = await stoppedServer();
    const lines = Array.from({ length: 9 }, (_, index) => `line ${index}\n`);
    await server.put("a.md", lines.join(""));
    await server.put("a.md", lines.with(4, "changed\n").join(""));
    const hunk = async (...flags: string[]) =>
      (await server.cairn("file", "diff", "a.md", ...flags)).stdout.split("\n")[2];
    expect([await hunk(), await hunk("-U", "0"), await hunk("--unified", "100")]).toEqual([
      "@@ -2,7 +2,7 @@",
      "@@ -5,1 +5,1 @@",
      "@@ -1,9 +1,9 @@",
    ]);
    expect((await server.cairn("file", "diff", "a.md", "-U", "x")).stderr).toBe(
      'Error: --unified "x": expected a whole number\n',
    );
  });
});

test("init server: --data-dir before --server-dir before SERVICE_SERVER_DIR", async () => {
  await using folder = await temporaryFolder();
  const place = (name: string) => join(folder.path, name);
  const init = (flags: string[], environment: NonNullable<Surroundings["environment"]>) =>
    runBinary("cairn", ["init", "server", "--space", "main", "--admin", "ada", ...flags], { environment });
  const variable = { SERVICE_SERVER_DIR: place("variable") };
  await init(["--data-dir", place("first"), "--server-dir", place("second")], variable);
  await init(["--server-dir", place("second")], variable);
  await init([], variable);
  for (const name of ["first", "second", "variable"])
    expect([name, existsSync(join(place(name), "server.yaml"))]).toEqual([name, true]);
});
