// Goal: scheduled backups are made when they are due, whatever restarts, failures and jumps of the clock lie in between; old ones go, and nothing else.

import { describe, expect, test } from "bun:test";
import { readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { backupConfigOf, type BackupConfig } from "../../../src/kit/backup/config.ts";
import { copiesOf } from "../../../src/kit/backup/copies.ts";
import { BackupJobs } from "../../../src/kit/backup/backup-jobs.ts";
import { BackupSchedule } from "../../../src/kit/backup/schedule.ts";
import { Shelf } from "../../../src/kit/backup/shelf.ts";
import { Background } from "../../../src/kit/concurrency/background.ts";
import type { Environment } from "../../../src/kit/environment.ts";
import { AppError } from "../../../src/kit/error.ts";
import { createLog } from "../../../src/kit/log.ts";
import { temporaryFolder, type Folder } from "../../kit/folder.ts";
import { ScriptedStorage } from "../../kit/object-storage.ts";
import { DAY_MS, manualClock, MINUTE_MS, type ManualClock } from "../../kit/manual-clock.ts";

const HOUR_MS = 60 * MINUTE_MS;
const BY_PERSON = "cairn-backup-20251231T120000Z.tar.zst";
const OF_OTHERS = [
  "notes.txt",
  "cairn-backup-20251231T120000Z.tar.zst.part",
  "service-backup-20251231T120000Z-scheduled.tar.zst",
];

interface World {
  readonly schedule: BackupSchedule;
  readonly clock: ManualClock;
  readonly logged: string[];
  /** Of the archives on the shelf, in order. */
  names(): string[];
  /** Lets the time pass and everything that is due happen. */
  pass(ms: number): Promise<void>;
  /** Raised by attempts from now on; undefined: they succeed. */
  failure: Error | undefined;
}

async function begin(
  folder: Folder,
  given: Partial<BackupConfig> = {},
  clock = manualClock(),
  environment: Environment = {},
): Promise<World> {
  const config = { directory: folder.path, everyHours: 24, keep: 2, copyTo: undefined, ...given };
  const shelf = new Shelf(config.directory, "cairn");
  const logged: string[] = [];
  const log = createLog({
    format: "json",
    level: "info",
    clock,
    write: (line) => void logged.push((JSON.parse(line) as { message: string }).message),
  });
  const background = new Background(log);
  const jobs = new BackupJobs<null>(background, log);
  const make = () => {
    const file = shelf.newFile(clock.now(), "schedule", import.meta.dir);
    return jobs.start(file, async () => {
      if (world.failure) throw world.failure;
      await Bun.write(file, "");
      return null;
    });
  };
  const copies = copiesOf({ config, environment, shelf, clock, timers: clock, background, log });
  const schedule = new BackupSchedule({ config, shelf, copies, make, clock, timers: clock, background, log });
  const world: World = {
    schedule,
    clock,
    logged,
    names: () => readdirSync(folder.path).sort(),
    async pass(ms) {
      // Each wait begins at the end of the work before it.
      for (let left = ms; left > 0; left -= MINUTE_MS) {
        clock.advance(Math.min(left, MINUTE_MS));
        await background.ended();
      }
    },
    failure: undefined,
  };
  schedule.start();
  await background.ended();
  return world;
}

const scheduledAt = (...times: string[]) => times.map((time) => `cairn-backup-${time}Z-scheduled.tar.zst`);

test("the first is made soon, the next when it is due; old scheduled ones go, and no other file", async () => {
  await using folder = await temporaryFolder();
  for (const name of [BY_PERSON, ...OF_OTHERS]) writeFileSync(join(folder.path, name), "");
  const world = await begin(folder);
  await world.pass(5 * MINUTE_MS);
  expect(world.names()).toContain(scheduledAt("20260101T120100")[0]!);
  await world.pass(3 * DAY_MS);
  const kept = scheduledAt("20260103T120100", "20260104T120100");
  expect(world.names()).toEqual([...OF_OTHERS, BY_PERSON, ...kept].sort());
  expect(world.logged.filter((line) => line === "deleted an old scheduled backup")).toHaveLength(2);
});

test("a restart neither repeats one nor skips one", async () => {
  await using folder = await temporaryFolder();
  const first = await begin(folder);
  await first.pass(5 * MINUTE_MS);
  first.schedule.stop();
  expect(first.clock.waits()).toEqual([]);
  await first.pass(6 * HOUR_MS);
  const second = await begin(folder, {}, first.clock);
  await second.pass(12 * HOUR_MS);
  expect(second.names()).toHaveLength(1);
  await second.pass(6 * HOUR_MS);
  expect(second.names()).toEqual(scheduledAt("20260101T120100", "20260102T120100"));
  second.schedule.stop();
  // It was off when the next one was due.
  second.clock.advance(3 * DAY_MS);
  const third = await begin(folder, {}, second.clock);
  await third.pass(5 * MINUTE_MS);
  expect(third.names()).toHaveLength(2);
  expect(third.names()).not.toContain(scheduledAt("20260101T120100")[0]!);
});

test("a failure is told and tried again within the hour, and deletes nothing", async () => {
  await using folder = await temporaryFolder();
  const world = await begin(folder, { keep: 1 });
  await world.pass(5 * MINUTE_MS);
  world.failure = new AppError("unavailable", "the disk is full");
  await world.pass(DAY_MS);
  expect(world.schedule.state).toMatchObject({ failure: "the disk is full", failures: 1 });
  expect(world.names()).toEqual(scheduledAt("20260101T120100"));
  world.failure = undefined;
  await world.pass(HOUR_MS);
  expect(world.schedule.state).toMatchObject({ failure: undefined, failures: 1 });
  expect(world.names()).toEqual(scheduledAt("20260102T130100"));
  const read = (name: string) =>
    world.schedule
      .readings()
      .find((each) => each.name === name)!
      .read();
  expect(read("service_backup_last_success_timestamp_seconds")).toBe(Date.UTC(2026, 0, 2, 13, 1) / 1_000);
  expect(read("service_backup_failed_total")).toBe(1);
});

test("a directory that is missing at the start does not end the schedule", async () => {
  await using folder = await temporaryFolder();
  rmSync(folder.path, { recursive: true });
  const world = await begin(folder);
  expect(world.logged).toEqual(["cannot read the directory for backups"]);
  await world.pass(MINUTE_MS);
  expect(world.schedule.state).toMatchObject({
    failure: `${folder.path}: no such directory; create it first`,
    failures: 1,
  });
  await folder.write("there.txt", "");
  await world.pass(HOUR_MS);
  expect(world.names()).toContain(scheduledAt("20260101T130100")[0]!);
});

test("an archive from the future does not delay the next one by more than its interval", async () => {
  await using folder = await temporaryFolder();
  writeFileSync(join(folder.path, scheduledAt("20360101T120000")[0]!), "");
  const world = await begin(folder);
  await world.pass(DAY_MS);
  expect(world.names()).toContain(scheduledAt("20260102T120000")[0]!);
});

test("a clock that is set back does not delay the next one by more than its interval", async () => {
  await using folder = await temporaryFolder();
  const timers = manualClock();
  let behindMs = 0;
  const world = await begin(folder, {}, { ...timers, now: () => timers.now() - behindMs });
  await world.pass(MINUTE_MS);
  behindMs = 3 * DAY_MS;
  await world.pass(DAY_MS + HOUR_MS);
  expect(world.names()).toHaveLength(2);
});

test("a defect does not end the schedule", async () => {
  await using folder = await temporaryFolder();
  const world = await begin(folder);
  world.failure = new TypeError("a defect");
  await world.pass(MINUTE_MS);
  expect(world.schedule.state.failure).toBe("internal error; see the log of the server");
  expect(world.logged).toContain("the backup failed");
  world.failure = undefined;
  await world.pass(HOUR_MS);
  expect(world.names()).toHaveLength(1);
});

test("a file that a killed program left a day ago goes", async () => {
  await using folder = await temporaryFolder();
  const old = ".cairn-backup-20251230T120000Z.tar.zst.part-0123456789ab";
  const young = ".cairn-backup-20260101T110000Z-scheduled.tar.zst.part-0123456789ab";
  const foreign = ".service-backup-20251230T120000Z.tar.zst.part-0123456789ab";
  const world = await begin(folder);
  for (const [name, agoMs] of [
    [old, DAY_MS + HOUR_MS],
    [young, HOUR_MS],
    [foreign, 2 * DAY_MS],
  ] as const) {
    const time = new Date(world.clock.now() - agoMs);
    writeFileSync(join(folder.path, name), "");
    utimesSync(join(folder.path, name), time, time);
  }
  await world.pass(5 * MINUTE_MS);
  expect(world.names()).toEqual([young, foreign, ...scheduledAt("20260101T120100")].sort());
});

test("without hours there is no schedule; with keep 0 all stay", async () => {
  await using folder = await temporaryFolder();
  const none = await begin(folder, { everyHours: 0 });
  await none.pass(2 * DAY_MS);
  expect([none.names(), none.schedule.state.nextAt, none.schedule.readings()]).toEqual([[], undefined, []]);
  const all = await begin(folder, { keep: 0 });
  await all.pass(4 * DAY_MS);
  expect(all.names()).toHaveLength(4);
});

test.each([
  [{ directory: "backups" }, "config server.yaml: backup.directory: expected an absolute path"],
  [
    { every_hours: 24 },
    "config server.yaml: backup.every_hours: also set backup.directory, where the backups go",
  ],
  [
    { directory: "/backups", copy_to: { bucket: "b" } },
    "config server.yaml: backup.copy_to: only scheduled backups are copied; also set backup.every_hours",
  ],
  [
    { directory: "/backups", every_hours: 1, copy_to: { bucket: "b", endpoint: "storage.example" } },
    "config server.yaml: backup.copy_to.endpoint: expected the http or https URL of an object storage, without a path",
  ],
  [
    { directory: "/backups", every_hours: 1, copy_to: { bucket: "b", prefix: "/a" } },
    "config server.yaml: backup.copy_to.prefix: expected names of letters, digits, dots, hyphens and underscores",
  ],
])("the configuration %j is refused", (file, says) => {
  expect(() => backupConfigOf("server.yaml", file)).toThrow(says);
});

describe("copies in a bucket", () => {
  async function beginWithBucket(
    folder: Folder,
    far: ScriptedStorage,
    clock = manualClock(),
  ): Promise<World> {
    const { bucket, endpoint, region, credentials } = far;
    const environment = {
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
    return begin(folder, { copyTo: { bucket, endpoint, region, prefix: "lab/a" } }, clock, environment);
  }
  const inBucket = (far: ScriptedStorage) => [...far.objects.keys()].sort();
  const at = (...times: string[]) => scheduledAt(...times).map((name) => `lab/a/${name}`);

  test("each scheduled archive is copied, old copies go, and no other object", async () => {
    await using folder = await temporaryFolder();
    await using far = await ScriptedStorage.start();
    const others = ["lab/a/notes.txt", `lab/a/${BY_PERSON}`, `lab/b/${scheduledAt("20200101T000000")[0]}`];
    for (const key of others) far.objects.set(key, Buffer.from("x"));
    const world = await beginWithBucket(folder, far);
    writeFileSync(join(folder.path, BY_PERSON), "of a person");
    await world.pass(5 * MINUTE_MS);
    expect(inBucket(far)).toEqual([...others, ...at("20260101T120100")].sort());
    await world.pass(3 * DAY_MS);
    expect(inBucket(far)).toEqual([...others, ...at("20260103T120100", "20260104T120100")].sort());
    const copies = { bucket: far.bucket, last_at: "2026-01-04T12:01:00.000Z", failure: null };
    expect(world.schedule.shown().copies).toEqual(copies);
  });

  test("a failed copy is told and made later, with those that were missed, and none twice", async () => {
    await using folder = await temporaryFolder();
    await using far = await ScriptedStorage.start();
    const world = await beginWithBucket(folder, far);
    far.fail(403, "AccessDenied", { times: Infinity });
    await world.pass(DAY_MS + 5 * MINUTE_MS);
    expect(inBucket(far)).toEqual([]);
    expect(world.schedule.shown()).toMatchObject({ failure: null, copies: { last_at: null } });
    expect(world.schedule.shown().copies!.failure).toContain("AccessDenied");
    far.heal();
    await world.pass(HOUR_MS);
    expect(inBucket(far)).toEqual(at("20260101T120100", "20260102T120100"));
    expect(world.schedule.shown().copies!.failure).toBeNull();
    world.schedule.stop();
    far.requests.length = 0;
    const next = await beginWithBucket(folder, far, world.clock);
    await next.pass(5 * MINUTE_MS);
    expect(far.requests.filter((asked) => !asked.startsWith("GET "))).toEqual([]);
  });

  test("a start without credentials is refused", async () => {
    await using folder = await temporaryFolder();
    await using far = await ScriptedStorage.start();
    const { bucket, endpoint, region } = far;
    const started = begin(folder, { copyTo: { bucket, endpoint, region, prefix: "" } });
    await expect(started).rejects.toThrow(
      "backup.copy_to: the object storage needs credentials; set AWS_ACCESS_KEY_ID",
    );
  });
});
