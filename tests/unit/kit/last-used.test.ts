// Goal: uses are collected and written together, each once with its last time, and none is lost at the end.

import { expect, test } from "bun:test";
import { openDatabase } from "../../../src/kit/storage/db.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { LastUsed } from "../../../src/kit/storage/last-used.ts";
import { createLog } from "../../../src/kit/log.ts";

test("marks are written together, each once with its last time", async () => {
  const db = openDatabase(":memory:");
  const log = createLog({ level: "error", format: "text", clock: systemClock, write: () => {} });
  const written: [number, number, boolean][] = [];
  const used = new LastUsed(db, log, (id, time) => written.push([id, time, db.isWriting]));
  used.mark(1, 100);
  used.mark(2, 200);
  used.mark(1, 300);
  expect([used.get(1), used.get(2), used.get(3), written]).toEqual([300, 200, undefined, []]);
  await used.flush();
  expect(written).toEqual([
    [1, 300, true],
    [2, 200, true],
  ]);
  expect(used.get(1)).toBeUndefined();
  await used.flush();
  expect(written).toHaveLength(2);
  db.close();
});
