// Goal: `cairn backend list` lists the engines that are in the program and what the server here uses, and does not claim more.

import { expect, test } from "bun:test";
import { cairnAt, stoppedContext } from "../kit/cli/cairn.ts";
import { configure } from "../kit/context/context-server.ts";
import { temporaryFolder } from "../kit/folder.ts";

const SQLITE = {
  name: "sqlite",
  description: "embedded: one SQLite database in the folder of each space, next to the plain files",
};

test("lists the only engine of a server, with the settings in force", async () => {
  await using server = await stoppedContext();
  const { directory } = server;
  configure(directory, { backend: "sqlite", retention: { max_versions: 7 }, quotas: { max_files: 9 } });
  const settings = {
    directory,
    "retention.max_versions": 7,
    "quotas.max_file_size": 5_242_880,
    "quotas.max_space_size": 1_073_741_824,
    "quotas.max_files": 9,
  };
  const listed = await server.data<object[]>("backend", "list");
  expect(listed).toEqual([{ ...SQLITE, in_use: true, settings }]);
  expect(Bun.YAML.parse(await server.printed("backend", "list", "--yaml"))).toEqual(listed);
  const text = await server.printed("backend", "list");
  expect(text).toStartWith(`NAME    IN USE  DESCRIPTION\nsqlite  yes     ${SQLITE.description}\n`);
  expect(text).toContain("retention.max_versions  7\n");
});

test("lists no engine in use without a server, and fails for a named server that does not exist", async () => {
  await using folder = await temporaryFolder();
  const { data, refused } = cairnAt([], { environment: { HOME: folder.path } });
  // The other standard places belong to the machine.
  const [found] = await data<Record<string, unknown>[]>("backend", "list");
  if (found!.settings === null) expect(found).toEqual({ ...SQLITE, in_use: null, settings: null });
  const absent = expect.stringMatching(new RegExp(`^Error: no server found in ${folder.path} \\(`));
  expect(await refused("backend", "list", "--server-dir", folder.path)).toEqual([1, absent]);
});

test("an unknown engine is refused with the list of known ones", async () => {
  await using server = await stoppedContext();
  configure(server.directory, { backend: "postgres" });
  expect(await server.said("backend", "list")).toEqual([1, expect.stringMatching(/backend.*sqlite/s)]);
});
