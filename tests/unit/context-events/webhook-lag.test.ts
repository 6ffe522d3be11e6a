// Goal: a webhook loses events only when it is further behind than the log of events reaches, and then they are counted, logged and shown.

import { expect, test } from "bun:test";
import { Events } from "../../../src/context/events/events.ts";
import { EVENTS_KEPT } from "../../../src/context/events/schema.ts";
import { serverMigrations } from "../../../src/context/migrations/migrations.ts";
import { DeadLetterFile } from "../../../src/context/webhooks/dead-letter.ts";
import { Deliveries } from "../../../src/context/webhooks/delivery.ts";
import { webhookStore } from "../../../src/context/webhooks/store.ts";
import { eventually } from "../../kit/eventually.ts";
import { silent } from "../../kit/silent.ts";
import { testDatabase } from "../../kit/database.ts";
import { manualClock } from "../../kit/manual-clock.ts";

const NEWER = 25_000;

test("missed events are counted by the types and spaces of the hook, which continues with the stored ones", async () => {
  await using at = await testDatabase(serverMigrations);
  const { db, folder } = at;
  const warned: object[] = [];
  const log = { ...silent, warn: (_: string, facts?: object) => void warned.push(facts ?? {}) };
  const clock = manualClock();
  const events = new Events({ db, clock, log });
  const store = webhookStore(db);
  const hook = db.writeNow(() =>
    store.insert.get({
      url: "http://hook.example/",
      events: `["file.write"]`,
      spaces: `["team"]`,
      cursor: 0,
      created_by: "root",
      by_operator: 1,
      created_at: 0,
    })!,
  );
  const first = Promise.withResolvers<void>();
  const sent: number[] = [];
  const deliveries = new Deliveries({
    db,
    store,
    events,
    clock,
    log,
    sender: {
      send: async (_, { body }) => {
        if (sent.push(JSON.parse(body).seq) === 1) await first.promise;
        return { ok: true, status: 200, error: null };
      },
    },
    waitsMs: [],
    deadLetters: new DeadLetterFile(`${folder.path}/dead.jsonl`),
    maySee: () => true,
  });
  deliveries.start();
  const announce = async (count: number) => {
    for (let i = 0; i < count; i += 1)
      events.announce({ type: "file.write", actor: "ann", space: i % 2 === 0 ? "team" : "other" });
    await events.settle();
  };
  await announce(2);
  await eventually(() => sent, [1]);
  await announce(EVENTS_KEPT);
  await announce(NEWER);
  const oldest = events.after(0)[0]!.seq;
  // Of the events between the one that is under way and the oldest that is kept, every other is of its space.
  const missed = Math.floor((oldest - 1) / 2) - 1 + (oldest % 2 === 0 ? 1 : 0);
  expect(missed).toBeGreaterThan(5_000);
  expect(deliveries.dropped).toBe(missed);
  expect(store.byId.get(hook.id)!.dropped).toBe(missed);
  expect(warned.at(-1)).toMatchObject({ webhook: hook.id, events: expect.any(Number) });
  first.resolve();
  const next = oldest % 2 === 1 ? oldest : oldest + 1;
  await eventually(() => sent.slice(0, 3), [1, next, next + 2]);
  await deliveries.stop();
});
