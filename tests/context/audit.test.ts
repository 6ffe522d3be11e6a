// Goal: the audit record contains every change and every refusal, and any manipulation of its file is detected and located.

import { describe, expect, test } from "bun:test";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Audit, verifyOffline } from "../../src/context/audit/audit.ts";
import { csvLine } from "../../src/context/audit/csv.ts";
import type { AuditRecord } from "../../src/context/audit/schema.ts";
import { localCaller } from "../../src/context/identity/caller.ts";
import { verifyAuditFile } from "../../src/context/audit/verify.ts";
import { serverMigrations } from "../../src/context/migrations/migrations.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { openDatabase } from "../../src/kit/storage/db.ts";
import { createLog } from "../../src/kit/log.ts";
import { migrate } from "../../src/kit/storage/migrate.ts";
import { refusalOf } from "../kit/http/refusal.ts";
import { deny, contextServer, filePath, put } from "../kit/context/context-server.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";

/** A separate audit over a folder, with its log. */
function audit(folder: Folder) {
  const lines: string[] = [];
  const log = createLog({
    level: "info",
    format: "json",
    clock: systemClock,
    write: (line) => void lines.push(line),
  });
  const db = openDatabase(join(folder.path, "server.db"));
  migrate(db, serverMigrations, 0);
  const path = join(folder.path, "audit.jsonl");
  return { path, lines, db, audit: new Audit({ path, db, clock: systemClock, log }) };
}

async function chain(folder: Folder, records: number): Promise<{ path: string; lines: string[] }> {
  const made = audit(folder);
  made.audit.open();
  for (let i = 1; i <= records; i++)
    made.audit.record(null, { action: "file.write", target: `f${i}.md`, version: i });
  await made.audit.close();
  made.db.close();
  return { path: made.path, lines: readFileSync(made.path, "utf8").split("\n").slice(0, -1) };
}

describe("the chain", () => {
  test("is intact as written, alone and against its anchor", async () => {
    await using folder = await temporaryFolder();
    const { path } = await chain(folder, 5);
    const counts = { entries: 5, skipped: 0, acknowledged: 0 };
    const holds = { ok: true, ...counts, line: null, problem: null, breaks: [] };
    expect(verifyAuditFile(path)).toEqual({ ...holds, anchored: false });
    const again = audit(folder);
    expect(verifyOffline(path, again.db)).toEqual({ ...holds, anchored: true });
    again.db.close();
  });

  test("reading and verifying a long record yields, and records added meanwhile are not a break", async () => {
    await using folder = await temporaryFolder();
    await chain(folder, 20_000);
    const made = audit(folder);
    made.audit.open();
    const reader = localCaller("reader");
    const reads: (() => Promise<unknown>)[] = [
      () => made.audit.list(reader, { actor: "nobody" }),
      () => made.audit.stats(reader),
      () => made.audit.verify(reader),
      () => Array.fromAsync(made.audit.lines(reader, {})),
    ];
    for (const read of reads) {
      let turns = 0;
      const timer = setInterval(() => {
        turns += 1;
        made.audit.record(null, { action: "file.write", target: "meanwhile.md" });
      });
      await read();
      clearInterval(timer);
      expect(turns).toBeGreaterThan(1);
    }
    expect(await made.audit.verify(reader)).toMatchObject({ ok: true, entries: made.audit.entries });
    await made.audit.close();
    made.db.close();
  });

  test("finds any edit of any field at its line", async () => {
    await using folder = await temporaryFolder();
    const { path, lines } = await chain(folder, 4);
    const edits: ((record: Record<string, unknown>) => void)[] = Object.keys(
      JSON.parse(lines[0]!) as object,
    ).map((field) => (record) => {
      const value = record[field];
      record[field] =
        typeof value === "number"
          ? value + 1
          : field === "actor"
            ? { ...(value as object), name: "other" }
            : `${String(value)}x`;
    });
    edits.push(
      (record) => delete record["target"],
      (record) => (record["more"] = 1),
      (record) => delete record["hash"],
    );
    for (const index of lines.keys())
      for (const edit of edits) {
        const record = JSON.parse(lines[index]!) as Record<string, unknown>;
        edit(record);
        writeFileSync(path, `${lines.with(index, JSON.stringify(record)).join("\n")}\n`);
        const { ok, line } = verifyAuditFile(path);
        // The first line without a hash could predate the chain; then the second line does not follow.
        const expected = index === 0 && record["hash"] === undefined ? 2 : index + 1;
        const where = [index, JSON.stringify(record)];
        expect([...where, ok, line]).toEqual([...where, false, expected]);
      }
  });

  test("finds a removed, moved, duplicated or inserted line", async () => {
    await using folder = await temporaryFolder();
    const { path, lines } = await chain(folder, 5);
    const { hash } = JSON.parse(lines[4]!) as AuditRecord;
    const [a, b, c, d, e] = lines as [string, string, string, string, string];
    const moved = (expected: number, found: number) =>
      `expected record ${expected}, found ${found}: a line was removed or moved`;
    const short = (kept: number) => `the file ends after ${kept} records, but 5 were written`;
    const changes: [lines: string[], line: number | null, problem: string | null][] = [
      [[a, b, c, d, e], null, null],
      [[b, c, d, e], 1, moved(1, 2)],
      [[a, b, d, e], 3, moved(3, 4)],
      [[a, c, b, d, e], 2, moved(2, 3)],
      [[a, b, b, c, d, e], 3, moved(3, 2)],
      [[a, b, "", c, d, e], 3, "the line is not an audit record"],
      [[a, b, c], 4, short(3)],
      [[], 1, short(0)],
    ];
    for (const [changed, line, problem] of changes) {
      writeFileSync(path, changed.map((text) => `${text}\n`).join(""));
      const found = verifyAuditFile(path, { entries: 5, hash });
      expect(found).toMatchObject({ ok: line === null, line, problem });
    }
    writeFileSync(path, `${lines.join("\n")}\n{"seq":6`);
    expect(verifyAuditFile(path)).toMatchObject({ ok: false, line: 6, problem: "the line is incomplete" });
  });

  test("after a last line that is not a record, continues from the last record, and verify reports the line", async () => {
    await using folder = await temporaryFolder();
    const { path } = await chain(folder, 2);
    appendFileSync(path, "scribble\n");
    const { audit: next, db } = audit(folder);
    next.open();
    next.record(null, { action: "file.write" });
    await next.close();
    db.close();
    expect(verifyAuditFile(path)).toMatchObject({
      ok: false,
      line: 3,
      problem: "the line is not an audit record",
    });
    // Including the record of the break.
    expect(next.entries).toBe(4);
  });

  test("logs and counts a record that cannot be written, and truncates overlong values", async () => {
    await using folder = await temporaryFolder();
    const { audit: one, lines, db, path } = audit(folder);
    one.open();
    one.record(null, { action: "user.add", target: "x".repeat(1_000_000) });
    await one.close();
    one.record(null, { action: "file.write", target: "lost.md" });
    expect(one.failures).toBe(1);
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({
        level: "error",
        message: "cannot write an audit record",
        action: "file.write",
      }),
    ]);
    one.open();
    one.record(null, { action: "file.write", target: "again.md" });
    await one.close();
    db.close();
    expect(verifyAuditFile(path)).toMatchObject({ ok: true, entries: 3 });
    const records = readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as AuditRecord);
    expect(records.map(({ action }) => action)).toEqual(["user.add", "audit.lost", "file.write"]);
    const { target, error } = records[1]!;
    expect([target, error]).toEqual([
      "1",
      expect.stringMatching(/^unavailable: 1 record at \S+Z could not be written$/),
    ]);
  });
});

describe("on a server", () => {
  test("records changes and refusals with caller, authentication, address and outcome", async () => {
    await using server = await contextServer();
    const ann = await server.user("Ann", "viewer");
    await server.admin.raw("PUT", filePath("a.md"), { body: "one", headers: { "X-Request-Id": "r-1" } });
    await put(ann, "a.md", "two");
    await put(server.admin, "a.md", "two", { "If-Match": '"7"' });
    await ann.raw("GET", "/audit");
    await server.anonymous().raw("GET", "/users");
    await server.rules("Ann", deny("a.md", "read"));
    await ann.raw("GET", filePath("a.md"));
    const records = await server.audit("limit=7");
    const root: AuditRecord["actor"] = { name: "root", role: "admin", auth: "token", address: "127.0.0.1" };
    const viewer: AuditRecord["actor"] = { name: "Ann", role: "viewer", auth: "token", address: "127.0.0.1" };
    const nobody: AuditRecord["actor"] = { name: "", role: null, auth: "none", address: "127.0.0.1" };
    expect(
      records.map(({ actor, action, target, result, error }) => [actor, action, target, result, error]),
    ).toEqual([
      [viewer, "file.read", "a.md", "denied", "forbidden: a.md: Ann (viewer) may not read it"],
      [root, "acl.change", "Ann", "ok", null],
      [
        nobody,
        "request.refused",
        "GET /api/v1/users",
        "denied",
        "unauthenticated: authentication required: send Authorization: Bearer <token>",
      ],
      [viewer, "request.refused", "GET /api/v1/audit", "denied", "forbidden: only an admin may do that"],
      [root, "file.write", "a.md", "error", "stale: a.md: expected v7, but the current version is v1"],
      [viewer, "file.write", "a.md", "denied", "forbidden: a.md: Ann (viewer) may not write it"],
      [root, "file.write", "a.md", "ok", null],
    ]);
    expect(records.at(-1)).toMatchObject({
      space: "team",
      version: 1,
      request_id: "r-1",
      content_hash: new Bun.CryptoHasher("sha256").update("one").digest("hex"),
    });
    expect(await server.verifyAudit()).toMatchObject({ ok: true, anchored: true });
  });

  test("records a read of a hidden space, although the response is not found", async () => {
    await using server = await contextServer();
    const ann = await server.user("Ann", "viewer", []);
    await server.admin.write("a.md", "one");
    for (const path of ["", "/files", "/sync", "/snapshots", "/files/a.md", "/history/a.md"])
      expect((await ann.raw("GET", `/spaces/team${path}`)).status).toBe(404);
    expect((await ann.raw("GET", "/spaces/nosuch")).status).toBe(404);
    expect((await put(ann, "a.md", "two")).status).toBe(404);
    const records = await server.audit("actor=Ann");
    const denied = ["team", "denied", "not_found: space team: not found"];
    expect(records.map(({ action, space, result, error }) => [action, space, result, error])).toEqual([
      ["file.write", ...denied],
      ...Array.from({ length: 6 }, () => ["space.read", ...denied]),
    ]);
  });

  test("filters, pages, statistics and both exports agree", async () => {
    await using server = await contextServer();
    for (let i = 0; i < 5; i++) await server.admin.write(`f${i}.md`, "x");
    await refusalOf(put(server.admin, "../x", "x"));
    await refusalOf(put(server.admin, "f0.md", "y", { "If-None-Match": "*" }));
    const all = await server.audit("limit=500");
    expect(await server.audit(`before=${all[1]!.seq}&limit=2`)).toEqual(all.slice(2, 4));
    expect((await server.audit("action=file.write&result=error")).length).toBe(1);
    expect(await server.audit("space=other")).toEqual([]);
    expect(await server.audit("actor=root&action=file.write&result=ok")).toEqual(
      all.filter(
        ({ actor, action, result }) => actor.name === "root" && action === "file.write" && result === "ok",
      ),
    );
    expect(await server.audit(`since=${all[0]!.time}`)).toContainEqual(all[0]!);
    expect(await server.audit("until=2000-01-01T00:00:00.000Z")).toEqual([]);
    const shifted = new Date(Date.parse(all[0]!.time) + 2 * 3_600_000).toISOString().replace("Z", "+02:00");
    expect(await server.audit(`until=${encodeURIComponent(shifted)}&limit=500`)).toEqual(all);
    expect(await server.audit("since=2000-01-01&limit=500")).toEqual(all);
    for (const path of ["/audit?since=yesterday", "/audit/export?until=yesterday"])
      expect((await refusalOf(server.admin.get(path))).message).toMatch(
        /^query parameter (since|until): expected a time/,
      );
    expect(await server.admin.get("/audit/stats")).toMatchObject({ entries: all.length, last: all[0]!.time });
    const exported = async (format: string) =>
      (await server.admin.raw("GET", `/audit/export?format=${format}`)).text();
    const jsonl = (await exported("jsonl")).trimEnd().split("\n");
    expect(jsonl.map((line) => JSON.parse(line) as AuditRecord)).toEqual(all.toReversed());
    expect((await exported("csv")).trimEnd().split("\n").length).toBe(all.length + 1);
  });

  test("a CSV cell is never a formula", () => {
    const actor = { name: "-1", role: null, auth: "none", address: "@a" } as const;
    const what = {
      action: "user.add",
      space: null,
      target: '=cmd("x"),1',
      version: null,
      content_hash: null,
    } as const;
    const record = { seq: 1, time: "t", ...what, result: "ok", error: "a\nb", actor } as const;
    const ids = { request_id: "r", id: "i", prev: "p", hash: "h" };
    expect(csvLine({ ...record, ...ids })).toBe(
      `1,t,'-1,,none,'@a,user.add,,"'=cmd(""x""),1",,,ok,"a\nb",r,,h`,
    );
  });
});
