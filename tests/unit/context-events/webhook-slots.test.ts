// Goal: a delivery that waited for a slot is decided by the rights and the target of the moment when it is sent; a full disk delays a webhook only
// until there is room, and its outcome is recorded, counted and buried once; the dead-letter file is read from its end, however long it is.

import { appendFileSync, unlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "bun:test";
import { Events } from "../../../src/context/events/events.ts";
import { serverMigrations } from "../../../src/context/migrations/migrations.ts";
import { DeadLetterFile } from "../../../src/context/webhooks/dead-letter.ts";
import { Deliveries } from "../../../src/context/webhooks/delivery.ts";
import { AT_ONCE_MAX } from "../../../src/context/webhooks/delivery-slots.ts";
import type { DeadLetter } from "../../../src/context/webhooks/schema.ts";
import { type HookRow, webhookStore } from "../../../src/context/webhooks/store.ts";
import { eventually } from "../../kit/eventually.ts";
import { silent } from "../../kit/silent.ts";
import { testDatabase } from "../../kit/database.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { within } from "../../kit/within.ts";

interface Route {
  readonly send: (hook: HookRow) => Promise<boolean>;
  readonly maySee?: (hook: HookRow) => boolean;
  /** Waits between attempts. */
  readonly waitsMs?: readonly number[];
}

/** Webhooks of `file.write` on a real database, with a scripted sender. */
async function courier(hooks: number, { send, maySee = () => true, waitsMs = [] }: Route) {
  const made = await testDatabase(serverMigrations);
  const { db, folder } = made;
  const clock = manualClock();
  const events = new Events({ db, clock, log: silent });
  const store = webhookStore(db);
  const hook = (index: number) => ({
    url: `http://hook-${index}.example/`,
    events: `["file.write"]`,
    spaces: null,
    cursor: 0,
    created_by: "root",
    by_operator: 1,
    created_at: 0,
  });
  const rows = Array.from({ length: hooks }, (_, index) => db.writeNow(() => store.insert.get(hook(index))!));
  const said: string[] = [];
  const deadLetters = new DeadLetterFile(`${folder.path}/letters/dead.jsonl`);
  const started = () => {
    const deliveries = new Deliveries({
      db,
      store,
      events,
      clock,
      log: { ...silent, error: (text) => void said.push(text) },
      sender: {
        send: async (row) => {
          const ok = await send(row);
          return { ok, status: ok ? 200 : 500, error: ok ? null : "answered with status 500" };
        },
      },
      waitsMs,
      deadLetters,
      maySee,
    });
    deliveries.start();
    return deliveries;
  };
  let deliveries = started();
  events.announce({ type: "file.write", actor: "ann", space: "team" });
  return {
    db,
    store,
    rows,
    said,
    path: folder.path,
    letters: () => deadLetters.read(10).map(({ delivery, tries, error }) => ({ delivery, tries, error })),
    counts: () => ({ sent: deliveries.sent, failed: deliveries.failed }),
    /** As after a crash: what was not recorded is unknown. */
    restart: async () => {
      await deliveries.stop();
      deliveries = started();
    },
    /** Stops the deliveries, and waits for those that are under way. */
    settled: () => deliveries.stop(),
    last: ({ id }: HookRow) => store.deliveries.all(id, 1)[0],
    async [Symbol.asyncDispose]() {
      await deliveries.stop();
      await made[Symbol.asyncDispose]();
    },
  };
}

test("rights that end, and a target that changes, count for deliveries that wait for a slot", async () => {
  const answered = Promise.withResolvers<void>();
  const sent: string[] = [];
  const lost = new Set<number>();
  await using at = await courier(AT_ONCE_MAX + 2, {
    send: async ({ url }) => {
      sent.push(url);
      await answered.promise;
      return true;
    },
    maySee: ({ id }) => !lost.has(id),
  });
  const { db, store, rows, last } = at;
  await eventually(() => rows.every((row) => last(row) !== undefined), true);
  await eventually(() => sent.length, AT_ONCE_MAX);
  const [demoted, moved] = rows.filter(({ url }) => !sent.includes(url)) as [HookRow, HookRow];
  lost.add(demoted.id);
  db.writeNow(() => store.update.run({ ...moved, url: "http://elsewhere.example/" }));
  answered.resolve();
  await eventually(() => last(moved)?.state, "sent");
  await eventually(() => last(demoted)?.state, "failed");
  expect(sent.slice(AT_ONCE_MAX)).toEqual(["http://elsewhere.example/"]);
  expect(last(demoted)).toMatchObject({
    tries: 0,
    error: "the owner of the webhook may no longer see this event",
  });
});

test("a webhook that this machine held up goes on by itself", async () => {
  let sent = 0;
  await using at = await courier(1, {
    send: async () => {
      sent += 1;
      if (sent === 1) writeFileSync(`${at.path}/letters`, "in the way of the dead letters");
      return false;
    },
    waitsMs: [1],
  });
  await eventually(() => at.said.length > 1, true);
  expect(at.last(at.rows[0]!)?.state).toBe("waiting");
  expect(at.counts()).toEqual({ sent: 0, failed: 0 });
  unlinkSync(`${at.path}/letters`);
  await eventually(() => at.last(at.rows[0]!)?.state, "failed");
  expect(sent).toBe(2);
  expect(new Set(at.said)).toEqual(new Set(["a webhook is held up"]));
  expect(at.letters()).toHaveLength(1);
  expect(at.counts()).toEqual({ sent: 0, failed: 1 });
});

const DISK_FULL = `CREATE TRIGGER disk_full BEFORE UPDATE OF state ON webhook_deliveries
  BEGIN SELECT RAISE(ABORT, 'disk full'); END`;

describe("an outcome that cannot be recorded", () => {
  const unrecorded = async (ok: boolean) => {
    let sent = 0;
    const at = await courier(1, {
      send: async () => {
        sent += 1;
        if (sent === 1) at.db.exec(DISK_FULL);
        return ok;
      },
      waitsMs: [1],
    });
    return {
      ...at,
      times: () => sent,
      free: () => at.db.exec("DROP TRIGGER disk_full"),
      end: () => at.last(at.rows[0]!)!,
    };
  };
  const error = "answered with status 500";

  test("is kept until there is room: nothing is sent, counted or buried twice", async () => {
    await using at = await unrecorded(false);
    await eventually(() => at.said.length > 2, true);
    expect(at.end()).toMatchObject({ state: "waiting", tries: 2, status: 500, error });
    expect(at.counts()).toEqual({ sent: 0, failed: 0 });
    at.free();
    await eventually(() => at.end().state, "failed");
    await eventually(() => at.counts(), { sent: 0, failed: 1 });
    expect(at.letters()).toEqual([{ delivery: at.end().id, tries: 2, error }]);
    expect(at.times()).toBe(2);
  });

  test("of a delivery that arrived is not asked for again", async () => {
    await using at = await unrecorded(true);
    await eventually(() => at.said.length > 2, true);
    expect(at.counts()).toEqual({ sent: 0, failed: 0 });
    at.free();
    await eventually(() => at.end(), { ...at.end(), state: "sent", tries: 1, status: 200 });
    await eventually(() => at.counts(), { sent: 1, failed: 0 });
    expect(at.letters()).toEqual([]);
    expect(at.times()).toBe(1);
  });

  test("is the same after a crash between the dead letter and the record", async () => {
    await using at = await unrecorded(false);
    await eventually(() => at.letters().length, 1);
    await eventually(() => at.said.length > 0, true);
    await at.restart();
    at.free();
    await eventually(() => at.end().state, "failed");
    await eventually(() => at.counts(), { sent: 0, failed: 1 });
    expect(at.end()).toMatchObject({ tries: 2, status: 500, error });
    expect(at.letters()).toEqual([{ delivery: at.end().id, tries: 2, error }]);
    expect(at.times()).toBe(2);
  });
});

test("a webhook that is deleted just before a delivery sends nothing, and is no fault", async () => {
  const gone = Promise.withResolvers<void>();
  let sent = 0;
  await using at = await courier(1, {
    send: async () => (sent += 1) > 0,
    maySee: ({ id }) => {
      at.db.writeNow(() => at.store.remove.run(id));
      gone.resolve();
      return true;
    },
  });
  await within("the request is given up", gone.promise);
  await at.settled();
  expect(sent).toBe(0);
  expect(at.said).toEqual([]);
});

test("the newest dead letters are read across the rotation, without a torn line, up to a limit of bytes", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/dead.jsonl`;
  const letter = (tries: number, body = "é"): DeadLetter => ({
    time: "2026-01-01T00:00:00Z",
    delivery: "d",
    webhook: 1,
    url: "http://hook.example/",
    tries,
    error: "answered with status 500",
    body,
  });
  const file = new DeadLetterFile(path, 1_000);
  expect(file.read(10)).toEqual([]);
  for (let tries = 1; tries <= 10; tries += 1) file.add(letter(tries));
  appendFileSync(path, '{"time":"2026');
  expect(file.read(8).map(({ tries }) => tries)).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
  const long = new DeadLetterFile(`${folder.path}/long.jsonl`);
  for (let tries = 1; tries <= 30; tries += 1) long.add(letter(tries, "é".repeat(50_000)));
  expect(long.read(100).map(({ tries }) => tries)).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
});
