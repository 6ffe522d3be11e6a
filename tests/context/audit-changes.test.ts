// Goal: every change of a file has its own audit record, whoever caused it and however many came together; records lost in a power cut are written
// once at the next start and marked as recovered.

import { expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditRecord } from "../../src/context/audit/schema.ts";
import { contextServer, filePath, type ContextServer } from "../kit/context/context-server.ts";
import { auditRecords } from "../kit/context/running-context.ts";

const recordsOf = ({ directory }: ContextServer) => auditRecords(directory);
const changesOf = (server: ContextServer) => recordsOf(server).filter(({ id }) => id.includes("."));
const op = (path: string, content: string) => ({ op: "put", path, content_b64: btoa(content) });

/** The current anchor rows. */
function anchorIn(directory: string) {
  const db = new Database(join(directory, "server.db"));
  const rows = {
    anchor: db.query("SELECT entries, hash, bytes FROM audit_anchor").get() as Record<string, number>,
    source: db.query("SELECT epoch, seq, bytes FROM audit_sources WHERE space = 'team'").get() as Record<
      string,
      number
    >,
  };
  db.close();
  return rows;
}

function setAnchor(directory: string, { anchor, source }: ReturnType<typeof anchorIn>): void {
  const db = new Database(join(directory, "server.db"));
  db.run("UPDATE audit_anchor SET entries = ?, hash = ?, bytes = ?, closed = 0", Object.values(anchor));
  db.run(
    "UPDATE audit_sources SET epoch = ?, seq = ?, bytes = ? WHERE space = 'team'",
    Object.values(source),
  );
  db.close();
}

test("a push, an adoption and a restore record each file with their request id", async () => {
  await using server = await contextServer({ files: { "a.md": "one" } });
  const snapshot = await server.admin.post("/spaces/team/snapshots", { name: "before" });
  await server.admin.raw("POST", "/spaces/team/push", {
    body: { ops: [op("a.md", "two"), op("b.md", "two"), op("c.md", "two")] },
    headers: { "X-Request-Id": "push-1" },
  });
  writeFileSync(server.inSpace("by-hand.md"), "three");
  await server.admin.raw("POST", "/spaces/team/adopt", { headers: { "X-Request-Id": "adopt-1" } });
  await server.admin.raw("POST", `/spaces/team/snapshots/${snapshot.id}/restore`, {
    headers: { "X-Request-Id": "restore-1" },
  });
  const shown = (request: string) =>
    recordsOf(server)
      .filter(({ request_id }) => request_id === request)
      .map(({ action, target, version, actor }) => [action, target, version, actor.name]);
  expect(shown("push-1")).toEqual([
    ["file.write", "a.md", 2, "root"],
    ["file.write", "b.md", 1, "root"],
    ["file.write", "c.md", 1, "root"],
    ["space.push", null, null, "root"],
  ]);
  expect(shown("adopt-1")).toEqual([
    ["file.write", "by-hand.md", 1, "root"],
    ["file.adopt", null, null, "root"],
  ]);
  expect(shown("restore-1")).toEqual([
    // In the order in which the files were made.
    ["file.delete", "b.md", null, "root"],
    ["file.delete", "c.md", null, "root"],
    ["file.delete", "by-hand.md", null, "root"],
    ["file.write", "a.md", 3, "root"],
    ["space.restore", String(snapshot.id), null, "root"],
  ]);
  expect(new Set(changesOf(server).map(({ id }) => id)).size).toBe(changesOf(server).length);
});

test("records the destroyed version, not the live one", async () => {
  await using server = await contextServer({ files: { "a.md": "one" } });
  await server.admin.write("a.md", "two");
  const destroyed = await server.admin.raw("DELETE", `${filePath("a.md", "versions")}?version=1`);
  expect(destroyed.ok).toBe(true);
  const { action, version, content_hash } = changesOf(server).at(-1)!;
  expect([action, version, content_hash]).toEqual([
    "file.destroy",
    1,
    new Bun.CryptoHasher("sha256").update("one").digest("hex"),
  ]);
});

test("records lost in a power cut are written once at the next start", async () => {
  await using server = await contextServer({ files: { "a.md": "one" } });
  await server.restart();
  await server.restart();
  let before: ReturnType<typeof anchorIn> | undefined;
  await server.restart((directory) => (before = anchorIn(directory)));
  const ann = await server.user("ann", "contributor");
  await ann.write("b.md", "two");
  await ann.raw("POST", "/spaces/team/push", {
    body: { ops: [op("c.md", "three"), { op: "delete", path: "a.md" }] },
  });
  const complete = changesOf(server);
  await server.restart((directory) => {
    truncateSync(join(directory, "audit", "audit.jsonl"), before!.anchor["bytes"]!);
    setAnchor(directory, before!);
  });
  await server.admin.get("/spaces/team");
  const plain = ({ id, time, action, target, version, content_hash }: AuditRecord) => [
    id,
    time,
    action,
    target,
    version,
    content_hash,
  ];
  expect(changesOf(server).map(plain)).toEqual(complete.map(plain));
  const recovered = changesOf(server).filter((record) => record.recovered);
  expect(recovered.map(({ actor, target }) => [actor, target])).toEqual(
    ["b.md", "a.md", "c.md"].map((target) => [
      { name: "ann", role: null, auth: "system", address: "" },
      target,
    ]),
  );
  expect(await server.verifyAudit()).toMatchObject({ ok: true, breaks: [] });
  const csv = await (await server.admin.raw("GET", "/audit/export?format=csv&action=file.delete")).text();
  expect(csv.split("\n")[1]).toContain(",true,");
  // Again, with records in the file that the database does not know.
  await server.restart((directory) => setAnchor(directory, before!));
  await server.admin.get("/spaces/team");
  expect(changesOf(server).map(plain)).toEqual(complete.map(plain));
  expect(await server.verifyAudit()).toMatchObject({ ok: true, breaks: [] });
});
