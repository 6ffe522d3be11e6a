// Goal: a process killed at any point loses no acknowledged write and shows no partial batch; a full, read-only or damaged disk is refused with a
// remedy and changes nothing.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { openSqliteEngine, type SqliteEngine } from "../../src/context/versioned-store/sqlite/engine.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { sha256Hex } from "../../src/kit/crypto.ts";
import type { DocumentPath } from "../../src/kit/text/paths.ts";
import { apply, at, put, sqliteBench, text } from "../kit/store/file-engine.ts";
import { silent } from "../kit/silent.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { onSmallDisk } from "../kit/small-disk.ts";
import { refusal, refusalOf } from "../kit/http/refusal.ts";

const KILLS = 30;
const WRITES_BEFORE_A_KILL_MAX = 30;
const TEST_LIMIT_MS = 120_000;
const DISK_FULL = {
  status: 503,
  code: "unavailable",
  message: "the disk is full; nothing was changed; free some space and try again",
};

interface Acknowledged {
  batch: string;
  paths: string[];
  seq: number;
}

const open = (directory: string) => openSqliteEngine({ directory, clock: systemClock, log: silent });

/** Starts a writer and kills it after this many acknowledgements; returns everything that it reported. */
async function writeAndKill(directory: string, seed: number, after: number): Promise<Acknowledged[]> {
  await using child = Bun.spawn(
    [process.execPath, `${import.meta.dir}/../kit/store/file-writer.ts`, directory, `${seed}`],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let told = "";
  const decoder = new TextDecoder();
  for await (const piece of child.stdout) {
    told += decoder.decode(piece, { stream: true });
    if (told.split("\n").length > after) child.kill("SIGKILL");
  }
  await child.exited;
  return told
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Acknowledged);
}

/** Expects every batch to be complete or absent, and the tree to match the log. */
async function checkWhole(
  engine: SqliteEngine,
  directory: string,
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const log = await engine.log(0, 1_000_000);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
  const written = Map.groupBy(log, ({ author }) => author);
  for (const { batch, paths, seq } of acknowledged) {
    const entries = written.get(`${batch} of ${paths.length}`)!;
    expect([batch, entries.map(({ path }) => path as string), entries.at(-1)!.seq]).toEqual([
      batch,
      paths,
      seq,
    ]);
    for (const { path, version } of entries)
      expect(text(await engine.read(path, version!))!.split(" ")[0]).toBe(batch);
  }
  for (const record of await engine.list()) {
    expect([record.path, record.state]).toEqual([record.path, "live"]);
    expect(sha256Hex(readFileSync(`${directory}/${record.path}`))).toBe(record.hash);
  }
  // Unacknowledged batches are complete and contiguous too.
  for (const [author, entries] of written) {
    const first = entries[0]!.seq;
    const size = Number(author.split(" of ")[1]);
    expect([author, entries.map(({ seq }) => seq - first)]).toEqual([
      author,
      Array.from({ length: size }, (_, index) => index),
    ]);
  }
  expect(readdirSync(`${directory}/.cairn`).filter((name) => name.startsWith("write-"))).toEqual([]);
  expect(engine.treeBehind()).toEqual([]);
}

test(
  `killed ${KILLS} times while it writes`,
  async () => {
    await using folder = await temporaryFolder();
    const directory = `${folder.path}/space`;
    const acknowledged: Acknowledged[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const after = (kill * 7) % WRITES_BEFORE_A_KILL_MAX;
      acknowledged.push(...(await writeAndKill(directory, kill + 1, after)));
      const engine = open(directory);
      await checkWhole(engine, directory, acknowledged);
      await engine.close();
    }
    expect(acknowledged.length).toBeGreaterThan(300);
  },
  TEST_LIMIT_MS,
);

test("a leftover of a killed process with our process id does not block", async () => {
  await using bench = await sqliteBench();
  await apply(bench.engine, [put("a.md", "1")]);
  for (let number = 1; number < 5; number++)
    writeFileSync(`${bench.directory}/.cairn/write-${process.pid}-${number}`, "half");
  await bench.reopen();
  await apply(bench.engine, [put("a.md", "2")]);
  expect([bench.engine.treeBehind(), readFileSync(`${bench.directory}/a.md`, "utf8")]).toEqual([[], "2"]);
});

onSmallDisk(
  "on a full disk, writes are refused and change nothing; with space again, everything continues",
  async (disk) => {
    const directory = `${disk.path}/space`;
    const engine = open(directory);
    await apply(engine, [put("a.md", "1")]);
    await disk.fill();
    let count = 0;
    const noise = () =>
      Uint8Array.from(
        { length: 3_000 },
        (_, index) => Math.imul(index + count * 3_001, 2_654_435_761) >>> 24,
      );
    const refused = await (async () => {
      for (; count < 2_000; count++) {
        const failed = await apply(engine, [put(`f${count}.bin`, noise())]).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (failed) return refusalOf(Promise.reject(failed));
      }
      throw new Error("the disk did not fill up");
    })();
    expect(refused).toEqual(DISK_FULL);
    const facts = [engine.head(), engine.totals()];
    expect(
      await Promise.all(
        [1, 2, 3].map(() => refusalOf(apply(engine, [put("b.bin", noise()), put("c.bin", "c")]))),
      ),
    ).toEqual([DISK_FULL, DISK_FULL, DISK_FULL]);
    expect([engine.head(), engine.totals(), text(await engine.read(at("a.md")))]).toEqual([...facts, "1"]);
    await disk.free();
    await apply(engine, [put("a.md", "2")]);
    for (let more = 0; engine.treeBehind().length > 0 && more < 500; more++)
      await apply(engine, [put("a.md", `more ${more}`)]);
    expect(engine.treeBehind()).toEqual([]);
    expect(new Set((await engine.list()).map(({ state }) => state))).toEqual(new Set(["live"]));
    await engine.close();
    const again = open(directory);
    expect(again.totals()).toEqual(engine.totals());
    await again.close();
  },
);

onSmallDisk("a space on a full disk closes, and its tree is complete after the next open", async (disk) => {
  const directory = `${disk.path}/space`;
  const engine = open(directory);
  await apply(engine, [put("a.md", "1")]);
  await disk.fill();
  // Room for the database, where zeros compress, but not for the file.
  const filler = `${disk.path}/filler`;
  truncateSync(filler, statSync(filler).size - 200_000);
  await apply(engine, [put("zeros.bin", new Uint8Array(1024 * 1024))]);
  expect(engine.treeBehind()).toEqual([at("zeros.bin")]);
  expect((await engine.stat(at("zeros.bin")))!.state).toBe("missing");
  await disk.fill();
  const { files } = engine.totals();
  await engine.close();
  await disk.free();
  const again = open(directory);
  expect([again.totals().files, again.treeBehind()]).toEqual([files, []]);
  expect((await again.list()).filter(({ state }) => state !== "live")).toEqual([]);
  await again.close();
});

onSmallDisk(
  "refuses a read-only disk on open, and the space is intact once it is writable again",
  async (disk) => {
    const remount = (mode: string) => Bun.spawnSync(["mount", "-o", `remount,${mode}`, disk.path]).exitCode;
    const directory = `${disk.path}/space`;
    const engine = open(directory);
    await apply(engine, [put("a.md", "1")]);
    await engine.close();
    expect(remount("ro")).toBe(0);
    await refusal(() => open(directory), "unavailable", new RegExp(`${directory}/\\.cairn/space\\.db`));
    const other = `${disk.path}/other`;
    await refusal(() => open(other), "unavailable", `cannot create ${other}/.cairn: the disk is read-only`);
    expect(remount("rw")).toBe(0);
    const again = open(directory);
    expect(text(await again.read(at("a.md")))).toBe("1");
    await again.close();
  },
);

test("refuses a damaged database with a remedy and leaves it unchanged", async () => {
  await using folder = await temporaryFolder();
  const make = async (name: string) => {
    const engine = open(`${folder.path}/${name}`);
    await apply(
      engine,
      Array.from({ length: 200 }, (_, index) => put(`${index}.md`, `text ${index} `.repeat(100))),
    );
    await engine.close();
    return `${folder.path}/${name}/.cairn/space.db`;
  };
  const cases: [string, (database: string) => void][] = [
    ["no-database", (database) => writeFileSync(database, "this is not a database ".repeat(1_000))],
    ["cut", (database) => truncateSync(database, 20_000)],
    ["overwritten", (database) => writeFileSync(database, damaged(readFileSync(database)))],
  ];
  for (const [name, damage] of cases) {
    const database = await make(name);
    damage(database);
    const before = sha256Hex(readFileSync(database));
    const refused = await refusalOf(Promise.try(() => open(`${folder.path}/${name}`)));
    expect([name, refused.code]).toEqual([name, "invalid"]);
    expect(refused.message).toMatch(
      /space\.db is (not a usable database|damaged) \(.+\); restore a backup or move it away$/,
    );
    expect(sha256Hex(readFileSync(database))).toBe(before);
  }
});

/** Keeps the schema page and damages the rest. */
function damaged(bytes: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0xa5)]);
}

test("refuses a second process, and the first continues", async () => {
  await using bench = await sqliteBench();
  await apply(bench.engine, [put("a.md", "1")]);
  const child = Bun.spawnSync([
    process.execPath,
    `${import.meta.dir}/../kit/store/file-writer.ts`,
    bench.directory,
    "1",
  ]);
  expect(child.exitCode).toBe(1);
  expect(child.stderr.toString()).toContain("space.db is in use by another process; stop it first");
  await apply(bench.engine, [put("a.md", "2")]);
  expect(text(await bench.engine.read(at("a.md" as DocumentPath)))).toBe("2");
});
