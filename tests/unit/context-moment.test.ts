// Goal: a backup and a snapshot for other nodes, which both need everything frozen, wait for each other instead of failing.

import { expect, test } from "bun:test";
import { calm, freeze, thaw } from "../../src/context/backup/moment.ts";
import { initServer } from "../../src/context/init-server.ts";
import { openServer } from "../../src/context/main.ts";
import { temporaryFolder } from "../kit/folder.ts";

test("a copy waits for the one before it", async () => {
  await using folder = await temporaryFolder();
  const log = { format: "json" as const, write: () => {} };
  const directory = `${folder.path}/server`;
  await initServer({ directory, space: "team", admin: "root", template: "blank" }, log);
  const { parts, close } = openServer({ directory, log });
  await calm(parts, "backup");
  const first = freeze(parts, "backup");
  const order: string[] = [];
  const waiting = calm(parts, "backup").then(() => {
    order.push("second begins");
    thaw(parts, freeze(parts, "backup"));
  });
  const stop = new AbortController();
  const given = calm(parts, "nodes", stop.signal);
  stop.abort(new Error("given up"));
  await expect(given).rejects.toThrow("given up");
  order.push("first ends");
  thaw(parts, first);
  await waiting;
  expect(order).toEqual(["first ends", "second begins"]);
  await close();
});
