// Goal: the health check writes to every storage: a full disk is 503 with the kind of problem and no path, `doctor` agrees, and both recover when
// there is space again.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { examine } from "../../src/context/doctor/doctor.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { onSmallDisk, smallDisk } from "../kit/small-disk.ts";

onSmallDisk("a full disk is 503, doctor reports it, and reads continue", async (disk, folder) => {
  const directory = join(disk.path, "server");
  await using server = await contextServer({ directory, files: { "a.md": "one" } });
  const health = async () => {
    const [status, problems] = await server.health();
    return [status, problems.includes("disk full")];
  };
  expect(await health()).toEqual([200, false]);
  await disk.fill();
  await eventually(health, [503, true]);
  expect(await server.admin.read("a.md")).toBe("one");
  const { checks } = await examine(directory, folder.path, systemClock);
  expect(checks.find(({ check }) => check === "health")).toMatchObject({
    state: "fail",
    found: expect.stringContaining("degraded, "),
    fix: `free some space on the disk of ${directory}`,
  });
  await disk.free();
  await eventually(health, [200, false]);
});

test("a space with a broken database is reported as degraded without a request, until it opens again", async () => {
  await using server = await contextServer();
  await server.admin.post("/spaces", { name: "other", template: "blank" });
  expect(await server.health()).toEqual([200, []]);
  const path = server.inSpace("..", "other", ".cairn", "space.db");
  let bytes = Buffer.alloc(0);
  await server.restart(() => {
    bytes = readFileSync(path);
    writeFileSync(path, Buffer.alloc(bytes.length, 0x5a));
  });
  await eventually(server.health, [200, ["spaces broken"]]);
  await server.admin.write("a.md", "the others are served");
  writeFileSync(path, bytes);
  expect(await server.admin.get("/spaces")).toHaveLength(2);
  await eventually(server.health, [200, []]);
});

test("a full disk under a space that cannot be opened is 503", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer({ directory: join(folder.path, "server") });
  await using disk = await smallDisk({ ...folder, path: server.inSpace("..") });
  if (!disk) return;
  await server.admin.post("/spaces", { name: "disk", template: "blank" });
  await server.restart(async () => {
    writeFileSync(server.inSpace("..", "disk", ".cairn", "space.db"), "no database");
    await disk.fill();
  });
  await eventually(server.health, [503, ["spaces full", "spaces broken"]]);
  await disk.free();
  await eventually(server.health, [200, ["spaces broken"]]);
});
