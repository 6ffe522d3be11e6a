// Goal: a backup of the running service holds everything that was answered before it, in a form that any tar can restore, and an archive appears only
// where the operator wants it, complete or not at all.

import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Backup } from "../../src/service/backup/schema.ts";
import { sha256Hex } from "../../src/kit/crypto.ts";
import { membersOf } from "../kit/backup-members.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { refusal } from "../kit/http/refusal.ts";
import { ScriptedStorage } from "../kit/object-storage.ts";
import { DAY_MS, manualClock, MINUTE_MS } from "../kit/manual-clock.ts";
import { say } from "../kit/model/index.ts";
import { attach } from "../kit/service/attaching.ts";
import { ended, layLargeFile, overviewOf, prepared, unpacked } from "../kit/service/backing-up.ts";
import { world } from "../kit/service/world.ts";

const ODD_NAME = "Überblick/日本語 – notes.md";

test("a backup under writes restores to the service of that moment", async () => {
  await using folder = await temporaryFolder();
  const { data, backups } = await prepared(folder);
  await using at = await world({ model: { boss: [say("Hello.")] }, people: { ann: "member" }, data });
  await at.chat("Good morning.");
  await at.admin.raw("PUT", `${at.own}/file?path=${encodeURIComponent(ODD_NAME)}`, { body: "a note" });
  const attachment = await attach(at, "what was attached", "notes.txt");
  const entries = await at.admin.get<object[]>(`${at.own}/entries`);
  const stop = new AbortController();
  const writing = (async () => {
    for (let i = 0; !stop.signal.aborted; i++)
      await at.admin.post("/instructions", { name: `i${i}`, text: "x" });
  })();
  const { result, error, file } = await ended(at, await at.admin.post<Backup>("/backups"));
  stop.abort();
  await writing;
  expect(error).toBeNull();
  expect(result).toMatchObject({ files: 2, missed: 0 });
  expect(readdirSync(backups).map((name) => join(backups, name))).toEqual([file]);

  const members = await membersOf(file);
  const names = members.map(({ name }) => name);
  expect(names).toEqual([
    "service.db",
    `files/${at.workspaceId}/${ODD_NAME}`,
    `attachments/${at.workspaceId}/${attachment.hash}`,
    "backup.json",
    "SHA256SUMS",
  ]);
  const sums = members.slice(0, -1).map(({ name, bytes }) => `${sha256Hex(bytes)}  ${name}\n`);
  expect(Buffer.from(members.at(-1)!.bytes).toString()).toBe(sums.join(""));

  const restored = await unpacked(file, join(folder.path, "restored"));
  await using again = await world({ data: restored });
  expect(await again.admin.get<object[]>(`${at.own}/entries`)).toEqual(entries);
  const saved = await again.admin.get<{ content: string }>(
    `${at.own}/file?path=${encodeURIComponent(ODD_NAME)}`,
  );
  expect(saved.content).toBe("a note");
  const bytes = await again.admin.raw("GET", `${at.own}/attachments/${attachment.hash}`);
  expect(await bytes.text()).toBe("what was attached");
  expect(await again.as(at.people.ann.token).get("/whoami")).toMatchObject({ name: "ann" });
  expect(await again.admin.get("/audit/verify")).toMatchObject({ ok: true });
});

test.skipIf(process.platform !== "linux" || !Bun.which("tar") || !Bun.which("zstd"))(
  "any tar with zstd unpacks it, and sha256sum finds no difference",
  async () => {
    await using folder = await temporaryFolder();
    const { data } = await prepared(folder);
    await using at = await world({ model: "silent", data });
    const { id } = await at.workspace("lab");
    for (const name of [ODD_NAME, `${"a".repeat(100)}/${"b".repeat(100)}.md`, "no newline"])
      await at.admin.raw("PUT", `/workspaces/${id}/file?path=${encodeURIComponent(name)}`, { body: name });
    const { file } = await ended(at, await at.admin.post<Backup>("/backups"));
    const into = join(folder.path, "unpacked");
    mkdirSync(into);
    const ran = (command: string[], cwd: string) =>
      Bun.spawnSync(command, { cwd, stderr: "inherit" }).exitCode;
    expect(ran(["tar", "--zstd", "--extract", `--file=${file}`, `--directory=${into}`], folder.path)).toBe(0);
    expect(ran(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], into)).toBe(0);
  },
);

test("is for admins, and for a directory of the operator", async () => {
  await using folder = await temporaryFolder();
  await using at = await world({ people: { ann: "team-lead" }, data: join(folder.path, "data") });
  const { ann } = at.people;
  for (const attempt of [
    ann.get("/backups"),
    ann.post("/backups"),
    ann.get("/backups/1"),
    ann.delete("/backups/1"),
  ])
    await refusal(attempt, "forbidden", "only an admin may do this");
  expect(await overviewOf(at)).toMatchObject({ directory: "", archives: [], next_at: null, last: null });
  await refusal(
    at.admin.post("/backups"),
    "refused",
    "no directory for backups is set; set backup.directory in the configuration file",
  );
  const inside = join(at.data, "backups");
  mkdirSync(inside);
  await at.restart(() => folder.write("data/config.yaml", `backup: { directory: ${inside} }\n`));
  await refusal(
    at.admin.post("/backups"),
    "invalid",
    /is inside the data directory and would be lost with it/,
  );
  await refusal(at.admin.get("/backups/1"), "not_found", "backup 1: not found");
  await at.restart(() => folder.write("data/config.yaml", `backup: { directory: ${folder.path}/none }\n`));
  await refusal(at.admin.post("/backups"), "invalid", /none: no such directory; create it first$/);
  expect(await overviewOf(at)).toMatchObject({ problem: "no such file", archives: [] });
});

describe("a running backup", () => {
  test("excludes another one, and leaves nothing when an admin cancels it", async () => {
    await using folder = await temporaryFolder();
    const { data, backups } = await prepared(folder);
    layLargeFile(data);
    await using at = await world({ model: "silent", data });
    await at.workspace("lab");
    const { id, file } = await at.admin.post<Backup>("/backups");
    await refusal(at.admin.post("/backups"), "conflict", `a backup is already running: ${file}`);
    await at.admin.delete(`/backups/${id}`);
    const { state, error } = await ended(at, { id } as Backup);
    expect([state, error?.message]).toEqual([
      "cancelled",
      "the backup was cancelled: stopped by admin; no file was kept",
    ]);
    expect(readdirSync(backups)).toEqual([]);
    expect((await overviewOf(at)).last?.id).toBe(id);
  });

  test("leaves nothing when the service stops", async () => {
    await using folder = await temporaryFolder();
    const { data, backups } = await prepared(folder);
    layLargeFile(data);
    await using at = await world({ model: "silent", data });
    await at.workspace("lab");
    await at.admin.post("/backups");
    await at.restart();
    expect(readdirSync(backups)).toEqual([]);
    expect((await overviewOf(at)).last).toBeNull();
  });
});

test("the schedule makes them, and its record names the service", async () => {
  await using folder = await temporaryFolder();
  await using far = await ScriptedStorage.start();
  const { bucket, endpoint, region } = far;
  const copy = `  copy_to: { bucket: ${bucket}, endpoint: "${endpoint}", region: ${region}, prefix: lab }\n`;
  const { data, backups } = await prepared(folder, `  every_hours: 24\n  keep: 1\n${copy}`);
  const clock = manualClock();
  const environment = {
    AWS_ACCESS_KEY_ID: far.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: far.credentials.secretAccessKey,
  };
  await using at = await world({ data, clock, timers: clock, environment });
  await eventually(async () => (await overviewOf(at)).next_at, "2026-01-01T12:01:00.000Z");
  clock.advance(MINUTE_MS);
  await eventually(async () => (await overviewOf(at)).next_at, "2026-01-02T12:01:00.000Z");
  expect((await overviewOf(at)).last_at).toBe("2026-01-01T12:01:00.000Z");
  const copies = async () => (await overviewOf(at)).copies;
  await eventually(copies, { bucket, last_at: "2026-01-01T12:01:00.000Z", failure: null });
  const first = "service-backup-20260101T120100Z-scheduled.tar.zst";
  expect(readdirSync(backups)).toEqual([first]);
  expect([...far.objects.keys()]).toEqual([`lab/${first}`]);
  const records = await at.admin.get<{ actor: string; auth: string; target: string }[]>("/audit?limit=1");
  expect(records).toMatchObject([{ action: "backup.create", auth: "system", target: `backup:${first}` }]);
  clock.advance(DAY_MS);
  await eventually(() => readdirSync(backups), ["service-backup-20260102T120100Z-scheduled.tar.zst"]);
});
