// Goal: a webhook of a person who was removed stays silent, also when someone else gets the name.

import { expect, test } from "bun:test";
import { contextServer } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { hookReceiver } from "../kit/context/hook-receiver.ts";
import { DAY_MS, manualClock } from "../kit/manual-clock.ts";

test("a new user of the same name does not revive the webhook of a removed one", async () => {
  await using hooks = hookReceiver();
  await using server = await contextServer({ outbound: hooks.outbound });
  const { admin } = server;
  const told = (path: string) =>
    hooks.got.filter((one) => one.path === path).map(({ body }) => JSON.parse(body).path as string);
  const ann = await server.user("Ann", "admin");
  await ann.post("/webhooks", { url: hooks.url("/first"), events: ["file.*"] });
  await admin.write("1.md", "x");
  await eventually(() => told("/first"), ["1.md"]);
  await admin.delete("/users/Ann");
  const other = await server.user("Ann", "admin");
  expect((await admin.get("/webhooks"))[0]!.problem).toBe("its owner Ann was deleted, so nothing is sent");
  await other.post("/webhooks", { url: hooks.url("/second"), events: ["file.*"] });
  await admin.write("2.md", "x");
  await eventually(() => told("/second"), ["2.md"]);
  await admin.write("3.md", "x");
  await eventually(() => told("/second"), ["2.md", "3.md"]);
  expect(told("/first")).toEqual(["1.md"]);
});

test("a webhook belongs to its owner also if the clock was put back since the owner was added", async () => {
  const clock = manualClock();
  await using hooks = hookReceiver();
  await using server = await contextServer({ outbound: hooks.outbound, clock });
  const ann = await server.user("Ann", "admin");
  clock.advance(-DAY_MS);
  const { problem } = await ann.post("/webhooks", { url: hooks.url("/hook"), events: ["file.*"] });
  expect(problem).toBeNull();
  await server.admin.write("1.md", "x");
  await eventually(() => hooks.got.length, 1);
});
