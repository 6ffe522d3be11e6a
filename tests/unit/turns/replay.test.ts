// Goal: stored events are replayed only to viewers with access, checked for each page and at once when rights change.

import { expect, test } from "bun:test";
import { systemClock } from "../../../src/kit/clock.ts";
import { openDatabase } from "../../../src/kit/storage/db.ts";
import type { Viewer } from "../../../src/kit/http/sse.ts";
import { createLog } from "../../../src/kit/log.ts";
import { migrate } from "../../../src/kit/storage/migrate.ts";
import { Journal } from "../../../src/service/journal/journal.ts";
import { resumedEnds } from "../../../src/service/turns/events.ts";
import { migrations } from "../../../src/service/migrations/migrations.ts";
import { within } from "../../kit/within.ts";

const EVENTS = 500;
const PAGE = 200;

/** Sets up a journal with many events of a workspace, and a viewer that reads when `read` is called. */
async function history() {
  const db = openDatabase(":memory:");
  migrate(db, migrations, 0);
  db.writeNow(() =>
    db.exec(`INSERT INTO users (id, name, name_key, role, created_at) VALUES (1, 'a', 'a', 'admin', 0);
      INSERT INTO workspace_rows (id, name, name_key, description, branch, shared_branch, owner_id, created_at)
      VALUES (1, 'w', 'w', '', '', '', 1, 0)`),
  );
  const log = createLog({ level: "error", format: "json", clock: systemClock, write: () => {} });
  const journal = new Journal({ db, clock: systemClock, log, superseded: resumedEnds });
  await db.write(() => {
    for (let n = 0; n < EVENTS; n++) journal.append(1, null, "entry.forgotten", { entry_id: n + 1 });
  });
  const seen = { frames: 0, ended: Promise.withResolvers<void>() };
  let read = Promise.withResolvers<boolean>();
  const viewer: Viewer = {
    send: () => (seen.frames++, true),
    drained: () => read.promise,
    end: () => (seen.ended.resolve(), stop()),
  };
  let stop = () => {};
  const follow = (allowed: () => boolean) => {
    const options = { workspaceId: 1, turnId: null, after: 0, inProgress: () => [], over: () => true };
    stop = journal.follow(viewer, { ...options, allowed });
  };
  const readOn = () => {
    read.resolve(true);
    read = Promise.withResolvers();
  };
  return { db, journal, seen, follow, readOn };
}

test("checks rights before each page", async () => {
  const { db, seen, follow, readOn } = await history();
  let asked = 0;
  follow(() => ++asked <= 2);
  expect(seen.frames).toBe(PAGE);
  readOn();
  while (seen.frames < 2 * PAGE) await Bun.sleep(0);
  readOn();
  await within("the replay ends", seen.ended.promise);
  expect([seen.frames, asked]).toEqual([2 * PAGE, 3]);
  db.close();
});

test("ends a replay that waits for its viewer when rights change", async () => {
  const { db, journal, seen, follow } = await history();
  let allowed = true;
  follow(() => allowed);
  allowed = false;
  journal.recheck();
  await within("the replay ends", seen.ended.promise);
  expect(seen.frames).toBe(PAGE);
  db.close();
});
