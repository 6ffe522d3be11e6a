// Goal: changing one setting leaves every other character of `server.yaml` as it was, and a form that we cannot edit is refused, not guessed at.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { changeListen } from "../../src/context/config/editing.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { refusal } from "../kit/http/refusal.ts";

test.each([
  ["", 'listen:\n  address: "0.0.0.0"\n  port: 2\n'],
  ["quotas:\n  max_files: 1", 'quotas:\n  max_files: 1\nlisten:\n  address: "0.0.0.0"\n  port: 2\n'],
  ["listen: # here\n  port: 1   # why\n", 'listen: # here\n  address: "0.0.0.0"\n  port: 2   # why\n'],
  [
    "listen:\n    trusted_proxies:\n      - 10.0.0.1 # ours\n    port: 1\nlog_level: warn\n",
    'listen:\n    address: "0.0.0.0"\n    trusted_proxies:\n      - 10.0.0.1 # ours\n    port: 2\nlog_level: warn\n',
  ],
])("from %j", async (before, after) => {
  await using folder = await temporaryFolder();
  await folder.write("server.yaml", before);
  await changeListen(folder.path, { address: "0.0.0.0" });
  await changeListen(folder.path, { port: 2 });
  const text = readFileSync(join(folder.path, "server.yaml"), "utf8");
  expect(Bun.YAML.parse(text)).toEqual(Bun.YAML.parse(after));
  expect(text.split("\n").toSorted()).toEqual(after.split("\n").toSorted());
});

test.each(["listen: { port: 1 }\n", "listen: &a\n  port: 1\n"])("refuses %j", async (before) => {
  await using folder = await temporaryFolder();
  await folder.write("server.yaml", before);
  await refusal(changeListen(folder.path, { port: 2 }), "refused", /change listen\.address and listen\.port/);
  expect(readFileSync(join(folder.path, "server.yaml"), "utf8")).toBe(before);
});
