// Goal: numbers that a crash makes us leave out cost no event that is kept, and what is too old goes.

import { expect, test } from "bun:test";
import { Events } from "../../../src/context/events/events.ts";
import { EVENTS_KEPT } from "../../../src/context/events/schema.ts";
import { serverMigrations } from "../../../src/context/migrations/migrations.ts";
import { migrate } from "../../../src/kit/storage/migrate.ts";
import { silent } from "../../kit/silent.ts";
import type { Viewer } from "../../../src/kit/http/sse.ts";
import { testDatabase } from "../../kit/database.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { within } from "../../kit/within.ts";

/** Old events are looked for once in this many. */
const ROUND = 10_000;

async function eventsDesk(settled?: () => Promise<void>) {
  const made = await testDatabase(serverMigrations);
  const { db } = made;
  return {
    db,
    events: new Events({ db, clock: manualClock(), log: silent, settled }),
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  };
}

/** Of a space's log, without its number. */
const CHANGE = { op: "write" as const, path: "a.md" as never, version: 1, hash: "0", author: "ann", time: 0 };

test("after a crash that left many spaces untold, the events before it are kept; the oldest go when there are too many", async () => {
  await using desk = await eventsDesk();
  const { events } = desk;
  const announce = async (count: number) => {
    for (let left = count; left > 0; left -= 1) events.announce({ type: "file.write", actor: "ann" });
    await events.settle();
  };
  const head = (seq: number) => ({ epoch: "e", seq });
  await announce(10);
  const spaces = Array.from({ length: 12 }, (_, index) => `space ${index}`);
  for (const space of spaces) await events.catchUp(space, head(0), () => Promise.resolve([]));
  for (const space of spaces)
    await events.catchUp(space, head(1), (after) => Promise.resolve([{ ...CHANGE, seq: after + 1 }]));
  await announce(ROUND);
  expect(events.after(0)[0]!.seq).toBe(1);
  await announce(EVENTS_KEPT);
  const oldest = events.after(0)[0]!.seq;
  expect(oldest).toBeGreaterThan(events.last - EVENTS_KEPT - ROUND);
  expect(oldest).toBeLessThanOrEqual(events.last - EVENTS_KEPT + 1);
});

test("an older database knows where the events of each space begin", async () => {
  const since = serverMigrations.findIndex(({ name }) => name === "013_event_starts");
  await using at = await testDatabase(serverMigrations.slice(0, since));
  const { db } = at;
  const happened = ["team file.write", "team space.delete", "other file.write", "team file.write"];
  for (const [index, text] of happened.entries()) {
    const [space, type] = text.split(" ");
    db.exec(
      `INSERT INTO events VALUES (${index + 1}, 'id', '${type}', 0, '${space}', NULL, NULL, 'ann', '{}')`,
    );
  }
  db.exec("INSERT INTO event_sources VALUES ('team', 'e', 0), ('other', 'e', 0)");
  migrate(db, serverMigrations, 0);
  const events = new Events({ db, clock: manualClock(), log: silent });
  const shown = events.after(0).filter((event) => events.isOfPresent(event));
  expect(shown.map(({ seq }) => seq)).toEqual([2, 3, 4]);
});

test("the event of a change is stored with the change, and sent in the order of the numbers", async () => {
  await using desk = await eventsDesk();
  const { db, events } = desk;
  const sent: string[] = [];
  events.listen(({ seq, path }) => sent.push(`${seq} ${path}`));
  const change = (path: string) =>
    db.write(() => {
      events.announceWith({ type: "user.add", actor: "ann", path });
      if (path === "refused") throw new Error("no");
    });
  for (const path of ["a", "b"]) events.announce({ type: "file.write", actor: "ann", path });
  const changes = [change("one"), change("refused").catch(() => undefined)];
  const settled = events.settle();
  changes.push(change("two"));
  await Promise.all(changes.slice(0, 2));
  // Nothing is sent before it is stored.
  const stored = () => events.after(0).map(({ seq, path }) => `${seq} ${path}`);
  expect(stored()).toContain("1 one");
  await Promise.all(changes);
  await settled;
  await events.settle();
  expect(sent).toEqual(stored());
  expect(sent.map((text) => text.split(" ")[1]!).toSorted()).toEqual(["a", "b", "one", "two"]);
});

test("other work has its turn between two pages of changes that have no events", async () => {
  await using desk = await eventsDesk();
  const { events } = desk;
  await events.catchUp("team", { epoch: "e", seq: 0 }, () => Promise.resolve([]));
  let turns = 0;
  const seen: number[] = [];
  const wait = () => new Promise<void>((resolve) => setImmediate(resolve));
  const others = (async () => {
    while (seen.length < 3) {
      turns += 1;
      await wait();
    }
  })();
  await events.catchUp("team", { epoch: "e", seq: 3 }, (after) => {
    seen.push(turns);
    return Promise.resolve([{ ...CHANGE, seq: after + 1 }]);
  });
  await others;
  expect(new Set(seen).size).toBe(3);
  await events.settle();
  expect(events.after(0)).toHaveLength(3);
});

test("a follower whose replay fails is told so, and does not take the end for the end of the log", async () => {
  await using desk = await eventsDesk();
  const { events } = desk;
  for (const path of ["a.md", "b.md"])
    events.announce({ type: "file.write", actor: "ann", space: "team", path });
  await events.settle();
  const seen: string[] = [];
  const ended = Promise.withResolvers<void>();
  const viewer: Viewer = {
    send: (chunk) => seen.push(/^event: (.*)$/m.exec(new TextDecoder().decode(chunk))![1]!) > 0,
    drained: () => Promise.resolve(true),
    end: () => ended.resolve(),
  };
  events.follow(viewer, 0, (event) => {
    if (event?.path === "b.md") throw new Error("the rights cannot be read");
    return true;
  });
  await within("the stream ends", ended.promise);
  expect([seen, events.followers]).toEqual([["file.write", "error"], 0]);
});

test("with other nodes, nobody gets an event before they have it, not even one who reads the stored ones", async () => {
  const held = Promise.withResolvers<void>();
  await using desk = await eventsDesk(() => held.promise);
  const { events, db } = desk;
  const heard: number[] = [];
  events.listen(({ seq }) => heard.push(seq));
  await db.write(() => events.announceWith({ type: "file.write", actor: "ann" }));
  expect(events.last).toBe(1);
  expect(events.after(0)).toEqual([]);
  held.resolve();
  await events.settle();
  expect(events.after(0).map(({ seq }) => seq)).toEqual([1]);
  expect(heard).toEqual([1]);
});
