// Goal: records of one turn go into the file together and in order, each before its writer goes on; what closes a record is the hash of its
// canonical JSON, whatever the record looks like.

import { expect, spyOn, test } from "bun:test";
import * as fc from "fast-check";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { AuditFile } from "../../../src/context/audit/audit-file.ts";
import { ChangeRecords } from "../../../src/context/audit/change-records.ts";
import { AuditChain, type AuditEntry } from "../../../src/context/audit/chain.ts";
import { openingOf } from "../../../src/context/audit/opening.ts";
import { hashOf, lineOf } from "../../../src/context/audit/record.ts";
import type { AuditRecord } from "../../../src/context/audit/schema.ts";
import { auditStore } from "../../../src/context/audit/store.ts";
import { checkedNow, verifyAuditFile } from "../../../src/context/audit/verify.ts";
import { serverMigrations } from "../../../src/context/migrations/migrations.ts";
import { canonicalJson, sha256Hex } from "../../../src/kit/crypto.ts";
import { testDatabase } from "../../kit/database.ts";
import { silent } from "../../kit/silent.ts";

async function bench() {
  const made = await testDatabase(serverMigrations);
  const { db, folder } = made;
  const path = `${folder.path}/audit/audit.jsonl`;
  const errors: unknown[] = [];
  const log = { ...silent, error: (_: string, about?: object) => void errors.push(about) };
  const store = auditStore(db);
  const chain = new AuditChain({
    path,
    db,
    store,
    log,
    entryAbout: ({ records }) => entry(`lost ${records}`),
  });
  const open = () => {
    const { end, last } = openingOf(path, store.anchor(), null);
    chain.open(end, last);
  };
  open();
  return {
    chain,
    open,
    path,
    errors,
    store,
    changes: new ChangeRecords({ path, db, store, chain, log }),
    lines: () => readFileSync(path, "utf8").split("\n").slice(0, -1),
    async [Symbol.asyncDispose]() {
      await chain.close();
      await made[Symbol.asyncDispose]();
    },
  };
}

function entry(action: string): AuditEntry {
  const actor = { name: "ada", role: "admin" as const, auth: "token" as const, address: "127.0.0.1" };
  const about = { space: "team", target: "a.md", version: 1, content_hash: null };
  const came = { result: "ok" as const, error: null, request_id: "r" };
  return { id: "1", time: "2026-01-01T00:00:00.000Z", actor, action, ...about, ...came };
}

const actions = (lines: string[]) => lines.map((line) => (JSON.parse(line) as AuditRecord).action);

test("records of one turn are written together and in order, before anybody goes on", async () => {
  await using audit = await bench();
  const seen: number[] = [];
  const deed = async (action: string) => {
    await audit.chain.add(entry(action));
    seen.push(audit.lines().length);
  };
  const deeds = ["one", "two", "three"].map(deed);
  expect([audit.lines(), audit.chain.entries]).toEqual([[], 3]);
  await Promise.all(deeds);
  expect([actions(audit.lines()), seen]).toEqual([
    ["one", "two", "three"],
    [3, 3, 3],
  ]);
  // One that can't wait takes along those that do.
  void audit.chain.add(entry("four"));
  void audit.chain.add(entry("five"));
  audit.chain.flush();
  expect(actions(audit.lines())).toEqual(["one", "two", "three", "four", "five"]);
  const { entries, hash, bytes } = audit.chain.mark();
  expect(verifyAuditFile(audit.path, { entries, hash })).toMatchObject({ ok: true, entries: 5 });
  await audit.chain.anchor();
  expect(audit.store.anchor()).toEqual({ entries, hash, bytes, closed: 0 });
  await audit.chain.close();
  expect(audit.store.anchor()).toEqual({ entries, hash, bytes, closed: 1 });
});

test("nothing may follow the end of a chain that was closed", async () => {
  await using audit = await bench();
  await audit.chain.add(entry("one"));
  await audit.chain.close();
  const checked = () => checkedNow(audit.path, { anchor: audit.store.anchor()!, mayEndTorn: true });
  expect(checked()).toMatchObject({ ok: true, entries: 1 });
  const added = { ok: false, line: 2, problem: "it was added while the server was stopped" };
  const { hash: prev } = audit.chain.mark();
  const body = { seq: 2, ...entry("forged"), prev };
  const whole = lineOf(body, hashOf(body));
  for (const text of [whole, whole.slice(0, 20)]) {
    const before = readFileSync(audit.path);
    appendFileSync(audit.path, text);
    expect(checked()).toMatchObject(added);
    writeFileSync(audit.path, before);
  }
});

test("each record of a batch that cannot be written is logged and counted, and the chain goes on after them", async () => {
  await using audit = await bench();
  await audit.chain.add(entry("one"));
  const before = audit.chain.mark();
  await audit.chain.close();
  await Promise.all([audit.chain.add(entry("lost")), audit.chain.add(entry("lost too"))]);
  expect([audit.chain.failures, audit.chain.entries]).toEqual([2, 1]);
  expect(audit.errors).toEqual([
    { action: "lost", error: "the audit file is not open" },
    { action: "lost too", error: "the audit file is not open" },
  ]);
  audit.open();
  await audit.chain.add(entry("two"));
  expect(actions(audit.lines())).toEqual(["one", "lost 2", "two"]);
  expect((JSON.parse(audit.lines()[1]!) as AuditRecord).prev).toBe(before.hash);
  expect(verifyAuditFile(audit.path)).toMatchObject({ ok: true, entries: 3 });
});

test("a record is closed by the hash of its canonical JSON, also one with other members than it should have", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("", '"', "\\", "10", "2", "__proto__"),
  );
  const value = fc.oneof(text, fc.integer(), fc.constant(null), fc.record({ b: text, a: text }));
  const member = fc.constantFrom(
    "seq",
    "id",
    "time",
    "action",
    "space",
    "target",
    "version",
    "prev",
    "other",
  );
  const whole = { ...entry("a"), seq: 1, prev: "0" };
  fc.assert(
    fc.property(
      fc.array(fc.tuple(member, fc.option(value, { nil: undefined })), { maxLength: 4 }),
      fc.option(fc.dictionary(fc.constantFrom("name", "role", "auth", "address", "x"), text)),
      (changes, actor) => {
        const record: Record<string, unknown> = { ...whole, ...(actor ? { actor } : {}) };
        for (const [name, changed] of changes) {
          if (changed === undefined) delete record[name];
          else record[name] = changed;
        }
        const canonical = sha256Hex(canonicalJson(record));
        const hash = hashOf(record as never);
        const names = (of: object) => Object.keys(of).toSorted().join();
        const isOurs =
          names(record) === names(whole) &&
          names(record["actor"] as object) === names(whole.actor) &&
          Object.values({ ...record, actor: null }).every((one) => one === null || typeof one !== "object");
        // Of one that is none of ours it is enough that it is not taken for one.
        if (isOurs) expect(hash).toBe(canonical);
        else expect(hash).not.toBe(hashOf(whole));
      },
    ),
    { numRuns: 500 },
  );
});

test("a record made while it closes is in the file and anchored, and nothing is tried after it", async () => {
  await using audit = await bench();
  await audit.chain.add(entry("one"));
  const closing = audit.chain.close();
  await audit.chain.add(entry("two"));
  void audit.chain.add(entry("three"));
  await closing;
  expect([actions(audit.lines()), audit.store.anchor()!.entries]).toEqual([["one", "two", "three"], 3]);
  expect(audit.errors).toEqual([]);
});

/** Each sync of the audit file waits for `release`, and then fails with `error`, if given. `held` resolves when one waits. */
function heldSync() {
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const spy = spyOn(AuditFile.prototype, "sync").mockImplementation(() => {
    held.resolve();
    return release.promise;
  });
  return { held: held.promise, release, [Symbol.dispose]: () => spy.mockRestore() };
}

const changeOf = (space: string, seq = 1) => ({ change: { space, epoch: "e", seq } });

test("a space that is removed while the anchor waits for the disk leaves no row", async () => {
  await using audit = await bench();
  for (const failure of [undefined, new Error("as if the disk were broken")]) {
    await Promise.all(["team", "other"].map((space) => audit.chain.add(entry(space), changeOf(space))));
    {
      using sync = heldSync();
      const anchoring = audit.chain.anchor();
      await sync.held;
      await audit.changes.forget("team");
      if (failure) sync.release.reject(failure);
      else sync.release.resolve();
      await anchoring;
    }
    await audit.chain.anchor();
    expect(audit.store.source.get("team")).toBeNull();
    expect(audit.store.source.get("other")).toMatchObject({ epoch: "e", seq: 1 });
  }
});

test("a space that is removed before its last records are written gets them, but no row", async () => {
  await using audit = await bench();
  const written = [
    audit.chain.add(entry("one"), changeOf("team", 1)),
    audit.chain.add(entry("two"), changeOf("team", 2)),
    audit.chain.add(entry("three"), changeOf("other")),
  ];
  await audit.changes.forget("team");
  await Promise.all(written);
  await audit.chain.anchor();
  expect(actions(audit.lines())).toEqual(["one", "two", "three"]);
  expect(audit.store.source.get("team")).toBeNull();
  expect(audit.store.source.get("other")).toMatchObject({ epoch: "e", seq: 1 });
});
