// Goal: a space that the server cannot open is named with the reason, and no command takes another space for the only one.

import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { failure, stoppedContext, type StoppedContext } from "../kit/cli/cairn.ts";

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
