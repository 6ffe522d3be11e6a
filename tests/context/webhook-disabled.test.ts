// Goal: the pending deliveries of a webhook that is disabled become dead letters, once, and nothing revives them.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { contextServer, type ContextServer } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { hookReceiver } from "../kit/context/hook-receiver.ts";

const never = () => new Promise<Response>(() => {});
const error = "the webhook was disabled";
/** The state, attempts and error of each delivery. */
const shown = async ({ admin }: ContextServer, id: number) =>
  (await admin.get(`/webhooks/${id}/deliveries`)).map((one) => [one.state, one.tries, one.error]);

test("disabling a hook cancels its pending deliveries, and a restart does not revive them", async () => {
  await using hooks = hookReceiver(never);
  await using server = await contextServer({ outbound: hooks.outbound });
  const hook = await server.admin.post("/webhooks", { url: hooks.url(), events: ["file.*"] });
  await server.admin.write("a.md", "x");
  await eventually(() => hooks.got.length, 1);
  await server.admin.patch(`/webhooks/${hook.id}`, { enabled: false });
  expect(await shown(server, hook.id)).toEqual([["failed", 0, error]]);
  const [letter, ...others] = await server.admin.get("/webhooks/dead-letter");
  expect(others).toEqual([]);
  expect(letter).toMatchObject({ webhook: hook.id, tries: 0, error });
  expect(JSON.parse(letter!.body).path).toBe("a.md");
  await server.admin.patch(`/webhooks/${hook.id}`, { enabled: true });
  await server.admin.write("b.md", "x");
  await eventually(() => hooks.got.length, 2);
  expect(JSON.parse(hooks.got[1]!.body).path).toBe("b.md");
});

test("the next start makes a dead letter of a delivery that was pending when a crash followed the disabling", async () => {
  await using hooks = hookReceiver(never);
  await using server = await contextServer({ outbound: hooks.outbound });
  const hook = await server.admin.post("/webhooks", { url: hooks.url(), events: ["file.*"] });
  await server.admin.write("a.md", "x");
  await eventually(() => hooks.got.length, 1);
  await server.restart((directory) => {
    using db = new Database(join(directory, "server.db"));
    db.run("UPDATE webhooks SET enabled = 0");
  });
  await eventually(() => shown(server, hook.id), [["failed", 0, error]]);
  expect(await server.admin.get("/webhooks/dead-letter")).toMatchObject([{ webhook: hook.id }]);
});
