// Goal: a storage failure ends only the affected turn, and the workspace works again once storage does.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { StorageError } from "../../../src/kit/storage-error.ts";
import { eventually } from "../../kit/eventually.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { gate } from "../../kit/model/index.ts";
import { workshop, type Workshop } from "./workshop.ts";

/** Refuses every page that the database would have to add from now on. */
function fill(shop: Workshop): void {
  shop.db.exec("PRAGMA max_page_count = 1");
}

test("survives a full disk during a turn", async () => {
  await using folder = await temporaryFolder();
  const held = gate();
  const shop: Workshop = await workshop(
    async () => {
      if (shop.requests.length > 1) return { text: "ok" };
      await held.opened;
      fill(shop);
      return { text: "x".repeat(1_000_000) };
    },
    () => [],
    join(folder.path, "service.db"),
  );
  const turn = await shop.turns.chat(shop.caller, shop.workspaceId, { text: "go" });
  await shop.turns.chat(shop.caller, shop.workspaceId, { text: "y".repeat(300_000), queue: true });
  held.open();
  await shop.settled();
  expect(["failed", "running"]).toContain(shop.turns.get(shop.caller, turn.id).status);
  shop.db.exec("PRAGMA max_page_count = 1000000");
  await shop.settled();
  const next = await shop.turns.chat(shop.caller, shop.workspaceId, { text: "again" });
  await shop.settled();
  expect(shop.turns.get(shop.caller, next.id).status).toBe("done");
  expect(shop.conversation().at(-1)).toBe("agent: ok");
  shop.db.close();
});

test("cancels a queued turn whose beginning the disk refused", async () => {
  const held = gate();
  const shop: Workshop = await workshop(async () => {
    await held.opened;
    return { text: "ok" };
  });
  await shop.turns.chat(shop.caller, shop.workspaceId, { text: "one" });
  const { id } = await shop.turns.chat(shop.caller, shop.workspaceId, { text: "two", queue: true });
  const status = () => shop.turns.get(shop.caller, id).status;
  const write = shop.db.write.bind(shop.db);
  shop.db.write = (run, options) =>
    write(() => {
      const value = run();
      if (status() !== "running") return value;
      // As SQLite does when the disk is full.
      shop.db.exec("ROLLBACK");
      throw new StorageError("full", "SQLITE_FULL");
    }, options);
  held.open();
  await eventually(() => shop.log.some((line) => line.includes("cannot start a queued turn")), true);
  shop.db.write = write;
  expect([status(), (await shop.turns.cancel(shop.caller, id)).status]).toEqual(["queued", "cancelled"]);
  await shop.settled();
  expect(shop.conversation()).toEqual(["person: one", "agent: ok"]);
  shop.db.close();
});
