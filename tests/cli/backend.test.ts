// Goal: `cairn backend list` lists the engines that are in the program and what the server here uses, and does not claim more.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { initServer } from "../../src/context/init-server.ts";
import { runBinary } from "../kit/binaries.ts";
import { configure } from "../kit/context-server.ts";
import { temporaryFolder } from "../kit/folder.ts";

const SQLITE = {
  name: "sqlite",
  description: "embedded: one SQLite database in each space's folder, with the plain files beside it",
};

test("of a server: the one engine that there is, with the settings in force", async () => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "server");
  await initServer({ directory, space: "main", admin: "ada" }, { format: "json", write: () => {} });
  configure(directory, { backend: "sqlite", retention: { max_versions: 7 }, quotas: { max_files: 9 } });
  const settings = {
    directory,
    "retention.max_versions": 7,
    "quotas.max_file_size": 5_242_880,
    "quotas.max_space_size": 1_073_741_824,
    "quotas.max_files": 9,
  };
  const at = ["--server-dir", directory];
  const json = await runBinary("cairn", ["backend", "list", "--json", ...at]);
  expect(JSON.parse(json.stdout)).toEqual([{ ...SQLITE, in_use: true, settings }]);
  const yaml = await runBinary("cairn", ["backend", "list", "--yaml", ...at]);
  expect(Bun.YAML.parse(yaml.stdout)).toEqual(JSON.parse(json.stdout));
  const text = await runBinary("cairn", ["backend", "list", ...at]);
  expect(text.stdout.split("\n").slice(0, 2)).toEqual([
    "NAME    IN USE  WHAT IT IS",
    `sqlite  yes     ${SQLITE.description}`,
  ]);
  expect(text.stdout).toContain("retention.max_versions  7\n");
});

test("where no server is, nothing is in use; one that was named and is not there is an error", async () => {
  await using folder = await temporaryFolder();
  const environment = { HOME: folder.path };
  const none = await runBinary("cairn", ["backend", "list", "--json"], { environment });
  // The other standard places belong to the machine.
  const [found] = JSON.parse(none.stdout) as Record<string, unknown>[];
  if (found!.settings === null) expect(found).toEqual({ ...SQLITE, in_use: null, settings: null });
  const named = await runBinary("cairn", ["backend", "list", "--server-dir", folder.path], { environment });
  expect([named.exitCode, named.stdout]).toEqual([1, ""]);
  expect(named.stderr).toStartWith(`Error: no server found in ${folder.path} (`);
});

test("one that is not in the program is refused, with those that are", async () => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "server");
  await initServer({ directory, space: "main", admin: "ada" }, { format: "json", write: () => {} });
  configure(directory, { backend: "postgres" });
  const { exitCode, stderr } = await runBinary("cairn", ["backend", "list", "--server-dir", directory]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("backend")]);
  expect(stderr).toContain("sqlite");
});
