// Goal: a transaction in steps is one write like any other: whole or not at all, before or after the others, and nobody has to wait to learn
// whether the disk takes writes.

import { expect, test } from "bun:test";
import { turnOfOthers } from "../../../src/kit/clock.ts";
import { openDatabase } from "../../../src/kit/storage/db.ts";
import { AppError, messageOf } from "../../../src/kit/error.ts";
import { inWrites } from "../../../src/kit/storage/in-writes.ts";
import { migrate } from "../../../src/kit/storage/migrate.ts";
import { StepGate } from "../../../src/kit/concurrency/step-gate.ts";
import { temporaryFolder } from "../../kit/folder.ts";

const ROWS = 50;
/** Of each row, busy: more than one stretch in all. */
const ROW_MS = 1;
const SQL = "CREATE TABLE items (id INTEGER PRIMARY KEY AUTOINCREMENT, value TEXT NOT NULL) STRICT";

async function opened() {
  const folder = await temporaryFolder();
  const path = `${folder.path}/items.db`;
  const db = openDatabase(path);
  migrate(db, [{ name: "001_items", sql: SQL }], 0);
  const insert = db.query<never, [string]>("INSERT INTO items (value) VALUES (?)");
  const rows = db.query<{ value: string }, []>("SELECT value FROM items ORDER BY id");
  function* slowly(value: string, fails = false): Generator<void, string> {
    for (let row = 0; row < ROWS; row += 1) {
      insert.run(value);
      for (const end = performance.now() + ROW_MS; performance.now() < end;);
      yield;
    }
    if (fails) throw new AppError("conflict", "at the end");
    return value;
  }
  return {
    db,
    path,
    slowly,
    insert,
    values: () => rows.all().map(({ value }) => value),
    async [Symbol.asyncDispose]() {
      db.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function* nothing(): Generator<void> {}
const of = (value: string): string[] => Array.from({ length: ROWS }, () => value);

test("others run in between, but no other write comes into it", async () => {
  await using at = await opened();
  const { db, slowly, insert, values } = at;
  const order: string[] = [];
  const told = function* (value: string) {
    order.push(`told ${value}`);
    yield;
  };
  const first = db.writeInSteps(() => slowly("a"), told).then(() => order.push("a"));
  await turnOfOthers();
  const single = db.write(() => insert.run("single")).then(() => order.push("single"));
  const second = db.writeInSteps(() => slowly("b"), told).then(() => order.push("b"));
  expect(values().length).toBeLessThan(ROWS);
  await db.prove();
  expect(order).toEqual([]);
  expect(() => db.freeze()).toThrow("a large change is being written");
  await Promise.all([first, single, second]);
  expect(values()).toEqual([...of("a"), "single", ...of("b")]);
  expect(order.indexOf("told a")).toBeLessThan(order.indexOf("single"));
});

test("one that fails leaves nothing, tells nothing, and the writes that waited go on", async () => {
  await using at = await opened();
  const { db, slowly, insert, values } = at;
  const told: string[] = [];
  const tell = function* (value: string) {
    told.push(value);
    yield;
  };
  const failing = db.writeInSteps(() => slowly("a", true), tell).catch(messageOf);
  await turnOfOthers();
  const single = db.write(() => insert.run("single"));
  expect(await failing).toBe("at the end");
  await single;
  expect(values()).toEqual(["single"]);
  expect(told).toEqual([]);
});

test("a close in the middle takes all of it back", async () => {
  await using at = await opened();
  const writing = at.db.writeInSteps(() => at.slowly("a"), nothing).catch(messageOf);
  await turnOfOthers();
  at.db.close();
  expect(await writing).toBe("the service is stopping");
  const db = openDatabase(at.path);
  expect(db.query("SELECT value FROM items").all()).toEqual([]);
  db.close();
});

test("work that is cut into writes lets others write in between", async () => {
  await using at = await opened();
  const { db, slowly, insert, values } = at;
  const cut = inWrites(db, slowly("a"));
  await turnOfOthers();
  await db.write(() => insert.run("single"));
  expect(values().length).toBeLessThan(ROWS);
  expect(await cut).toBe("a");
  expect(values().filter((value) => value !== "single")).toEqual(of("a"));
});

test("a gate lets readers leave before a change, and keeps others out until its end", async () => {
  const gate = new StepGate();
  const order: string[] = [];
  const leave = Promise.withResolvers<void>();
  const reading = gate.read(() => leave.promise.then(() => order.push("read")));
  const change = (name: string) =>
    gate.change(async () => {
      order.push(`${name} begins`);
      await turnOfOthers();
      order.push(`${name} ends`);
    });
  const [first, second] = [change("first"), change("second")];
  await turnOfOthers();
  expect(gate.isClosed).toBe(true);
  const late = gate.read(() => Promise.resolve(order.push("late")));
  await turnOfOthers();
  expect(order).toEqual([]);
  leave.resolve();
  await Promise.all([reading, first, second, late]);
  expect(order.filter((one) => one !== "late")).toEqual([
    "read",
    "first begins",
    "first ends",
    "second begins",
    "second ends",
  ]);
  expect(order.indexOf("late")).toBeGreaterThan(order.indexOf("first ends"));
  expect(gate.isClosed).toBe(false);
});
