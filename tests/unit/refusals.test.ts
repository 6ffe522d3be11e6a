// Goal: a flood of refusals, from as many addresses as anyone has, cannot fill the record.

import { expect, test } from "bun:test";
import { Background } from "../../src/kit/concurrency/background.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { Audit } from "../../src/service/audit/audit.ts";
import { Refusals } from "../../src/service/audit/refusals.ts";
import { migrations } from "../../src/service/migrations/migrations.ts";
import { testDatabase } from "../kit/database.ts";
import { silent } from "../kit/silent.ts";

test("10,000 addresses make 60 records at once, and one for all others at the end of the interval", async () => {
  await using at = await testDatabase(migrations);
  const { db } = at;
  const audit = new Audit(db, systemClock);
  const background = new Background(silent);
  const refusals = new Refusals({ db, audit, background });
  const note = (address: string) =>
    refusals.note({
      action: "request.refused",
      code: "unauthenticated",
      target: "GET /api/v1/users",
      by: { requestId: "r", address },
    });
  for (let index = 0; index < 10_000; index++) note(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);
  // Addresses of one network are one.
  for (let index = 0; index < 10_000; index++) note(`2001:db8::${index.toString(16)}`);
  await background.settle(5000);
  expect(audit.head().seq).toBe(60);
  refusals.flush();
  await background.settle(5000);
  expect(audit.head().seq).toBe(61);
  const last = db.query<{ record: string }, []>("SELECT record FROM audit ORDER BY seq DESC LIMIT 1").get()!;
  expect(JSON.parse(last.record)).toMatchObject({
    action: "request.refused",
    target: "others",
    detail: { repeats: 19_940, interval_seconds: 60 },
  });
  note("10.0.0.1");
  await background.settle(5000);
  expect(audit.head().seq).toBe(62);
  refusals.flush();
  expect(await audit.check()).toMatchObject({ ok: true, entries: 62 });
});
