// Goal: a node whose settings name no other nodes any more changes nothing behind their back, and cannot return with data that they do not have.

import { expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openServer } from "../../src/context/main.ts";
import { nodes } from "../kit/context/nodes.ts";

test("a node runs alone only after it has left the others for good", async () => {
  await using all = await nodes();
  const a = await all.start("a");
  await a.leads();
  await a.admin.write("a.md", "one\n");
  await a.stop();
  const settings = join(a.directory, "server.yaml");
  const shared = readFileSync(settings, "utf8");
  writeFileSync(settings, "rate_limit: { enabled: false }\n");
  const alone = () =>
    openServer({ directory: a.directory, log: { format: "json" as const, write: () => {} } });
  const state = join(a.directory, "replication.json");
  expect(alone).toThrow(
    `${a.directory} belongs to a node of a server with several, but its server.yaml has no replication; set it again, or delete ${state} to run this server alone from now on`,
  );
  rmSync(state);
  await alone().close();
  writeFileSync(settings, shared);
  const returned = await all.start("a");
  expect(await returned.failed.catch((error: unknown) => error)).toMatchObject({
    code: "refused",
    message: expect.stringContaining("the bucket holds a replication log already"),
  });
});
