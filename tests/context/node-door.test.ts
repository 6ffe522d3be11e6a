// Goal: the commands of a machine find its node at every moment, also while the node takes over or stops leading.

import { expect, test } from "bun:test";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { isInUse } from "../../src/context/main.ts";
import { doorState } from "../../src/context/people/local-door.ts";
import { SPACE } from "../kit/context/context-server.ts";
import { nodes } from "../kit/context/nodes.ts";
import { until } from "../kit/eventually.ts";
import type { AskedOfStorage } from "../kit/object-storage.ts";

const TIMING = { beatEvery: 100, leaseMs: 1_000, takeoverAfter: 2_000, lookEvery: 50 };

/** Looks again and again until it is disposed of. */
function watched(directory: string) {
  const kinds = new Set<string>();
  const over = new AbortController();
  const looking = (async () => {
    while (!over.signal.aborted) kinds.add((await doorState(directory)).kind);
  })();
  return {
    kinds,
    async [Symbol.asyncDispose]() {
      over.abort();
      await looking;
    },
  };
}

/** A write of which half the content is missing keeps a server from closing. */
function halfWrite(url: string, token: string): () => void {
  const { port, host } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.on("error", () => {});
  const head = `PUT /api/v1/spaces/${SPACE}/files/half.md HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}`;
  socket.write(`${head}\r\nContent-Length: 6\r\n\r\none`);
  return () => void socket.end("two");
}

test("a node is found while it takes over, and while it stops leading", async () => {
  await using all = await nodes({ timing: TIMING });
  const a = await all.start("a");
  await a.leads();
  await until(() => [...all.storage.objects.keys()].some((key) => key.endsWith("manifest.json")));
  const b = await all.start("b");
  await until(() => b.log.some(({ message }) => message === "caught up with the leader"));
  const finish = halfWrite(a.url, all.token);
  expect((await fetch(`${a.url}/health`)).status).toBe(200);
  const isBeatOfA = ({ method, key, body }: AskedOfStorage) =>
    method === "PUT" && key.endsWith("leader") && Buffer.from(body).toString().includes('"node":"a"');
  all.storage.fail(503, "SlowDown", { on: isBeatOfA });
  await using taking = watched(b.directory);
  await b.leads();
  await using losing = watched(a.directory);
  all.storage.heal();
  await until(() => a.log.some(({ message }) => message === "stopping"));
  // Its listener is closed by now, and it waits for the rest of the write.
  await until(() => losing.kinds.size > 1);
  finish();
  await until(() => a.log.filter(({ message }) => message === "on standby").length === 2);
  expect([...losing.kinds]).toEqual(["running", "starting"]);
  expect([...taking.kinds].filter((kind) => kind !== "starting")).toEqual(["running"]);
  expect(await doorState(b.directory)).toMatchObject({ kind: "running", door: { url: b.url } });
});

test("a node that cannot open the door of its next role stops its server, and says why", async () => {
  await using all = await nodes({ timing: TIMING });
  const a = await all.start("a");
  await a.leads();
  const { url } = a;
  // No file of the door can be written, as on a full disk.
  const doors = join(a.directory, "run");
  renameSync(doors, `${doors}.kept`);
  writeFileSync(doors, "");
  const taken = [...all.storage.objects.keys()].filter((key) => key.includes("/log/")).at(-1)!;
  const next = taken.slice(0, -16) + String(Number(taken.slice(-16)) + 1).padStart(16, "0");
  all.storage.objects.set(next, Buffer.from("of another node"));
  await until(() => a.log.some(({ message }) => message === "this node no longer leads"));
  expect(await a.failed.catch((error: unknown) => error)).toBeInstanceOf(Error);
  expect(a.log.map(({ message }) => message)).toContain("stopped");
  expect(isInUse(a.directory)).toBe(false);
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  rmSync(doors);
  renameSync(`${doors}.kept`, doors);
});
