// Goal: a space that the server cannot open is named with the reason, and no command takes another space for the only one.

import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../kit/folder.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { cairn, failure, stoppedContext, type StoppedContext } from "../kit/cli/cairn.ts";

function damage({ inside }: StoppedContext, space: string): string {
  const database = inside("spaces", space, ".cairn", "space.db");
  for (const log of ["-wal", "-shm"]) rmSync(`${database}${log}`, { force: true });
  writeFileSync(database, "no database ".repeat(1_000));
  return `the server cannot open the space ${space}: ${database} is not a usable database`;
}

test("a command without --space says which space cannot be opened and why", async () => {
  await using server = await stoppedContext("blank");
  const reason = damage(server, "main");
  const [exitCode, message] = await server.refused("file", "list");
  expect([exitCode, message]).toEqual([1, expect.stringContaining(`Error: ${reason} (`)]);
  const { stdout, stderr } = await server.cairn("space", "list");
  expect([stdout, stderr]).toEqual(["no spaces\n", expect.stringContaining(reason)]);
});

test("a space that opens is not the only one beside a space that does not", async () => {
  await using server = await stoppedContext("blank");
  await server.cairn("space", "create", "other");
  expect(await server.said("file", "list")).toEqual(
    failure("missing flag: --space; choose one of main, other"),
  );
  const reason = damage(server, "main");
  const [exitCode, message] = await server.refused("file", "list");
  expect([exitCode, message]).toEqual([
    1,
    expect.stringContaining(`Error: missing flag: --space; choose one of other; ${reason} (`),
  ]);
  expect((await server.cairn("file", "list", "--space", "other")).exitCode).toBe(0);
});

test("a copy of a space that does not open is refused with the reason, not as one that is missing", async () => {
  await using server = await contextServer();
  await using folder = await temporaryFolder();
  for (const name of ["lost", "gone"]) await server.admin.post("/spaces", { name, template: "blank" });
  await server.restart(() => {
    for (const name of ["lost", "gone"])
      writeFileSync(server.inSpace("..", name, ".cairn", "space.db"), "no database ".repeat(1_000));
  });
  const token = await folder.write("token", server.bootstrap);
  const flags = ["--server", server.url, "--token-file", token, "--dir", join(folder.path, "copy")];
  const { exitCode, stderr } = await cairn("init", "client", ...flags, "--space", "lost");
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^Error: the server cannot open the space gone: /),
  ]);
  expect(stderr).toContain("; it cannot open lost either");
  expect(stderr).not.toContain("not found");
});
