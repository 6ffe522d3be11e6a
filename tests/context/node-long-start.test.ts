// Goal: a node whose start takes longer than the others wait for a leader keeps the lead, so that an upgrade of large data ends.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nodeProcesses, type NodeProcess } from "../kit/context/node-processes.ts";
import { until } from "../kit/eventually.ts";
import { contextClient } from "../kit/context/context-server.ts";

/** Others take over after 4 s without a heartbeat. */
const BLOCKED_MS = 8_000;

/** `ahead`: it has taken over. */
function filesOf({ directory }: NodeProcess): string | undefined {
  const path = join(directory, "replication.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { files: string }).files : undefined;
}

test("a node that is blocked while it starts to serve keeps the lead", async () => {
  await using all = await nodeProcesses(["a", "b"]);
  const [a, b] = all.nodes as [NodeProcess, NodeProcess];
  await contextClient(a.url, all.token).write("a.md", "one\n");
  await b.kill();
  await b.start({ blockedMs: BLOCKED_MS });
  await until(() => filesOf(b) === "exact");
  a.signal("SIGTERM");
  await until(() => filesOf(b) === "ahead");
  const begun = performance.now();
  await a.start();
  const led: string[] = [];
  await until(async () => {
    for (const node of all.nodes) if (await node.leads()) led.push(node.name);
    return led.length > 0;
  });
  expect(led).toEqual(["b"]);
  expect(performance.now() - begun).toBeGreaterThan(BLOCKED_MS / 2);
  expect(await contextClient(b.url, all.token).read("a.md")).toBe("one\n");
});
