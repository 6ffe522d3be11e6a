// Goal: whatever a node derives from its data, and whatever its files were before, after a change of leaders it shows what the log says.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodes } from "../kit/context/nodes.ts";
import { SPACE, filePath } from "../kit/context/context-server.ts";
import { until } from "../kit/eventually.ts";

const found = async (
  admin: Awaited<ReturnType<Awaited<ReturnType<typeof nodes>>["start"]>>["admin"],
  q: string,
) =>
  (await admin.get(`/spaces/${SPACE}/search?q=${q}`)).results
    .map(({ path }: { path: string }) => path)
    .sort();

test("search, trees and spaces follow the leaders", async () => {
  await using all = await nodes();
  const a = await all.start("a");
  await a.leads();
  await a.admin.write("old.md", "alpha\n");
  await a.admin.write("kept.md", "alpha beta\n");
  await a.admin.post("/spaces", { name: "gone", template: "blank" });
  await a.admin.post("/spaces", { name: "again", template: "team" });
  expect(await found(a.admin, "alpha")).toEqual(["kept.md", "old.md"]);
  const b = await all.start("b");
  await until(() => existsSync(join(b.directory, "spaces/gone/.cairn/space.db")));
  // Removed, and one of them made again, in one step of the log.
  all.storage.fail(503, "SlowDown", { on: ({ method, key }) => method === "PUT" && key.includes("/log/") });
  const changes = ["gone", "again"].map((name) => a.admin.delete(`/spaces/${name}?confirm=${name}`));
  await until(() => ["gone", "again"].every((name) => !existsSync(join(a.directory, "spaces", name))));
  const made = a.admin.post("/spaces", { name: "again", template: "blank" });
  await until(() => existsSync(join(a.directory, "spaces/again/.cairn/space.yaml")));
  all.storage.heal();
  await Promise.all([...changes, made]);
  await a.stop();
  await b.leads();
  expect((await b.admin.get("/spaces")).map(({ name }) => name).sort()).toEqual(["again", SPACE]);
  expect(await b.admin.get("/spaces/again/files")).toEqual([]);
  expect(existsSync(join(b.directory, "spaces/gone"))).toBe(false);
  expect(await found(b.admin, "alpha")).toEqual(["kept.md", "old.md"]);
  await b.admin.raw("DELETE", filePath("old.md"));
  await b.admin.write("new.md", "alpha\n");
  await b.admin.write("kept.md", "beta\n");
  const a2 = await all.start("a");
  // An edit by hand on a node that does not lead.
  writeFileSync(join(a2.directory, "spaces", SPACE, "kept.md"), "by hand\n");
  await until(() => existsSync(join(a2.directory, "spaces", SPACE, "new.md")));
  await b.stop();
  await a2.leads();
  expect(await found(a2.admin, "alpha")).toEqual(["new.md"]);
  expect(await a2.admin.read("kept.md")).toBe("beta\n");
  expect(existsSync(join(a2.directory, "spaces", SPACE, "old.md"))).toBe(false);
  expect(readFileSync(join(a2.directory, "spaces", SPACE, "kept.md"), "utf8")).toBe("beta\n");
  expect(await a2.admin.get("/audit/verify")).toMatchObject({ ok: true });
});
