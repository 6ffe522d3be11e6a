// Goal: the log of a webhook's deliveries stays bounded, whoever asked for them.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { DELIVERIES_KEPT } from "../../src/context/webhooks/schema.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { hookReceiver } from "../kit/context/hook-receiver.ts";

test("deliveries that people ask for count towards the limit of those that are kept", async () => {
  await using hooks = hookReceiver();
  await using server = await contextServer({ outbound: hooks.outbound });
  const hook = await server.admin.post("/webhooks", { url: hooks.url(), events: ["space.delete"] });
  const stored = <T>(work: (db: Database) => T) => {
    const found: T[] = [];
    return server
      .restart((directory) => {
        using db = new Database(join(directory, "server.db"));
        found.push(work(db));
      })
      .then(() => found[0]);
  };
  await stored((db) =>
    db.run(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
       INSERT INTO webhook_deliveries (id, webhook_id, type, body, state, created_at)
       SELECT 'old-' || n, ?2, 'webhook.test', '{}', 'sent', 0 FROM numbers`,
      [DELIVERIES_KEPT, hook.id],
    ),
  );
  await server.admin.post(`/webhooks/${hook.id}/test`);
  await eventually(() => hooks.got.length, 1);
  const kept = await stored(
    (db) => db.query<{ id: string }, []>("SELECT id FROM webhook_deliveries ORDER BY number").all().length,
  );
  expect(kept).toBe(DELIVERIES_KEPT);
});
