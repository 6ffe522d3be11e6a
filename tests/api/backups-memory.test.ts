// Goal: a backup holds memory in a folder as a whole folder, which opens again with its versions and with what people wrote there by hand; nobody who
// uses the folder waits for the rest of the backup; and a backup without memory says so.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Backup } from "../../src/service/backup/schema.ts";
import { createLocalSpace, openLocalSpace } from "../../src/context/space/local.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";
import { localDeps } from "../kit/context/space-doors.ts";
import { contextServer, SPACE } from "../kit/context/context-server.ts";
import { manualClock, MINUTE_MS } from "../kit/manual-clock.ts";
import { eventually } from "../kit/eventually.ts";
import { ended, layLargeFile, overviewOf, prepared, unpacked } from "../kit/service/backing-up.ts";
import { refusal } from "../kit/http/refusal.ts";
import { world } from "../kit/service/world.ts";

/** A data directory for backups whose memory is a space in a folder of its own. */
async function preparedWithMemory(folder: Folder, more = "") {
  const space = join(folder.path, "space");
  await (await createLocalSpace({ directory: space, name: "notes", template: "blank" }, localDeps)).close();
  return { ...(await prepared(folder, `${more}memory: { space: ${space} }\n`)), space };
}

const document = (path: string) => `/context/file?path=${path}`;

test("memory is restored as a folder with its versions and with manual edits", async () => {
  await using folder = await temporaryFolder();
  const { data, space } = await preparedWithMemory(folder);
  await using at = await world({ data });
  await at.admin.raw("PUT", document("plans/a.md"), { body: "first" });
  await at.admin.raw("PUT", document("plans/a.md"), { body: "second" });
  await at.admin.raw("PUT", document("b.md"), { body: "as recorded" });
  const lay = (path: string) => writeFileSync(join(space, path), "by hand");
  for (const directory of [".git", ".sync"]) mkdirSync(join(space, directory));
  for (const path of ["b.md", "new.md", ".git/config", ".sync/state.db"]) lay(path);
  expect(await overviewOf(at)).toMatchObject({ memory: "folder" });

  const { result, error, file, bytes_done, bytes_total } = await ended(
    at,
    await at.admin.post<Backup>("/backups"),
  );
  expect(error).toBeNull();
  const head = expect.stringMatching(/^[0-9a-f]{12}\.3$/);
  expect(result).toMatchObject({
    memory: { space: "notes", head, files: 3, missed: 0 },
    memory_problem: null,
  });
  expect(bytes_done).toBe(bytes_total);

  const restored = await unpacked(file, join(folder.path, "restored"));
  const facts = await Bun.file(join(restored, "backup.json")).json();
  expect(facts.memory).toEqual(result!.memory);
  expect([".git", ".sync"].filter((name) => existsSync(join(restored, "memory", name)))).toEqual([]);
  const again = await openLocalSpace(join(restored, "memory"), localDeps);
  try {
    const states = (await again.list()).map(({ path, version, state }) => [path, version, state]);
    expect(states).toEqual([
      ["b.md", 1, "modified"],
      ["new.md", null, "untracked"],
      ["plans/a.md", 2, "live"],
    ]);
    expect(Buffer.from((await again.read("plans/a.md", 1)).bytes).toString()).toBe("first");
    expect(Buffer.from((await again.read("new.md")).bytes).toString()).toBe("by hand");
  } finally {
    await again.close();
  }
});

test("memory that is written meanwhile is whole", async () => {
  await using folder = await temporaryFolder();
  const { data } = await preparedWithMemory(folder);
  await using at = await world({ data });
  const stop = new AbortController();
  const writing = [1, 2, 3, 4].map(async (writer) => {
    for (let i = 0; !stop.signal.aborted; i++)
      await at.admin.raw("PUT", document(`${writer}/${i % 20}.md`), { body: `${writer} ${i}` });
  });
  await eventually(async () => (await at.admin.get<object[]>("/context/files")).length > 20, true);
  const { result, error, file } = await ended(at, await at.admin.post<Backup>("/backups"));
  stop.abort();
  await Promise.all(writing);
  expect(error).toBeNull();
  const restored = await unpacked(file, join(folder.path, "restored"));
  const again = await openLocalSpace(join(restored, "memory"), localDeps);
  try {
    expect((await again.record()).head).toBe(result!.memory!.head);
    const states = new Set((await again.list()).map(({ state }) => state));
    // Files are copied later, so some may be newer.
    expect(states).not.toContain("missing");
    expect(states).toContain("live");
  } finally {
    await again.close();
  }
});

test("commands and agents have the folder while the rest of the backup is made", async () => {
  await using folder = await temporaryFolder();
  const { data, space } = await preparedWithMemory(folder);
  layLargeFile(data);
  await using at = await world({ data });
  const begun = await at.admin.post<Backup>("/backups");
  await eventually(async () => (await at.admin.get<Backup>(`/backups/${begun.id}`)).bytes_done > 0, true);
  await at.admin.raw("PUT", document("a.md"), { body: "written meanwhile" });
  const own = await openLocalSpace(space, localDeps);
  expect((await own.list()).map(({ path }) => path)).toEqual(["a.md"]);
  await own.close();
  const running = await at.admin.get<Backup>(`/backups/${begun.id}`);
  expect(running.state).toBe("running");
  await at.admin.delete(`/backups/${begun.id}`);
  expect((await ended(at, begun)).state).toBe("cancelled");
});

test("memory that is elsewhere, missing or excluded is left out", async () => {
  await using folder = await temporaryFolder();
  const { data, backups, space } = await preparedWithMemory(folder, "  memory: false\n");
  const withoutMemory = async () => (await ended(at, await at.admin.post<Backup>("/backups"))).result!;
  await using at = await world({ data });
  expect(await overviewOf(at)).toMatchObject({ memory: "left_out" });
  expect(await withoutMemory()).toMatchObject({ memory: null, memory_problem: null });

  const configured = (memory: object) => async () => {
    await folder.write("data/config.yaml", Bun.YAML.stringify({ backup: { directory: backups }, memory }));
  };
  await at.restart(configured({ space: `${space}-missing` }));
  expect(await overviewOf(at)).toMatchObject({ memory: "none" });
  expect(await withoutMemory()).toMatchObject({ memory: null, memory_problem: null });

  await using server = await contextServer();
  const token_file = await folder.write("token", server.bootstrap);
  await at.restart(configured({ server: { url: server.url, space: SPACE, token_file } }));
  expect(await overviewOf(at)).toMatchObject({ memory: "server" });
  expect(await withoutMemory()).toMatchObject({ memory: null, memory_problem: null });
});

test("a directory in the folder of memory is refused, unless memory is left out", async () => {
  await using folder = await temporaryFolder();
  const { data, space } = await preparedWithMemory(folder);
  const inside = join(space, "backups");
  mkdirSync(inside);
  const configured = (backup: object) => async () => {
    await folder.write("data/config.yaml", Bun.YAML.stringify({ backup, memory: { space } }));
  };
  await using at = await world({ data });
  await at.restart(configured({ directory: inside }));
  await refusal(
    at.admin.post("/backups"),
    "invalid",
    /is inside the folder of memory, so each backup would contain the earlier ones; choose a place outside$/,
  );
  await at.restart(configured({ directory: inside, memory: false }));
  expect((await ended(at, await at.admin.post<Backup>("/backups"))).state).toBe("done");
});

test("backups without memory are counted without a schedule, too", async () => {
  await using folder = await temporaryFolder();
  const { data, space } = await preparedWithMemory(folder);
  writeFileSync(join(space, ".cairn/space.db"), "damaged");
  await using at = await world({ data });
  await ended(at, await at.admin.post<Backup>("/backups"));
  const metrics = await (await fetch(`${at.url}/metrics`)).text();
  expect(metrics).toContain("service_backup_without_memory_total 1\n");
  expect(metrics).not.toContain("service_backup_failed_total");
});

test("a folder that cannot be opened does not cost the backup, which names the reason", async () => {
  await using folder = await temporaryFolder();
  const { data, space } = await preparedWithMemory(folder, "  every_hours: 24\n");
  writeFileSync(join(space, ".cairn/space.db"), "damaged");
  const clock = manualClock();
  await using at = await world({ data, clock, timers: clock });
  await eventually(async () => (await overviewOf(at)).next_at, "2026-01-01T12:01:00.000Z");
  clock.advance(MINUTE_MS);
  await eventually(async () => (await overviewOf(at)).last?.state, "done");
  const { result } = (await overviewOf(at)).last!;
  expect(result).toMatchObject({ memory: null, memory_problem: expect.stringContaining(space) });
  const metrics = await (await fetch(`${at.url}/metrics`)).text();
  expect(metrics).toContain("service_backup_without_memory_total 1\n");
  expect(metrics).toContain("service_backup_failed_total 0\n");
});
