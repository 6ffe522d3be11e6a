// The versioned store: durable writes that compare and swap, reads and deltas, in an empty space and in one of 50,000 files of ten versions,
// beside bare SQLite that commits the same rows as often, without planning them and without a working tree.

import { Database } from "bun:sqlite";
import type { SqliteEngine } from "../../src/context/versioned-store/sqlite/engine.ts";
import type { DocumentPath } from "../../src/kit/text/paths.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { FILES, documentOf, makeLargeSpace, openSpace, pathOf } from "./file-space.ts";
import { figure, type Row } from "./row.ts";

const WRITERS = 64;
const MEASURED_MS = 2_000;
const READS = 20_000;
const FLAT_WITHIN = 0.1;

let documents = 1_000_000;

export async function run(): Promise<Row[]> {
  await using folder = await temporaryFolder();
  const limits = {
    many: rawRate(`${folder.path}/many.db`, WRITERS),
    one: rawRate(`${folder.path}/one.db`, 1),
  };
  const empty = openSpace(`${folder.path}/empty`);
  const small = await measure(empty);
  await empty.close();
  await makeLargeSpace(`${folder.path}/large`);
  const large = openSpace(`${folder.path}/large`);
  const loaded = await measure(large);
  const pruned = await writeRate(large, WRITERS, MEASURED_MS, 10);
  const rest = [await readRate(large), await deltaTime(large), ...(await listing(large))];
  await large.close();
  return [
    rateRow(
      `durable writes of 2 KB, ${WRITERS} at once`,
      small.many,
      limits.many,
      "(8,000/s over HTTP)",
      8_000,
    ),
    rateRow("durable writes of 2 KB, one writer", small.one, limits.one, "(2,000/s over HTTP)", 2_000),
    flatRow(`${WRITERS} at once among ${FILES} files of ten versions`, loaded.many, small.many),
    flatRow(`one writer among ${FILES} files of ten versions`, loaded.one, small.one),
    ratioRow(`the same, each pruning one of ${FILES * 10} versions`, pruned, loaded.many, 0.5),
    ...rest,
  ];
}

async function measure(engine: SqliteEngine): Promise<{ many: number; one: number }> {
  // The first writes compile statements.
  await writeRate(engine, WRITERS, MEASURED_MS / 4);
  return {
    many: await writeRate(engine, WRITERS, MEASURED_MS),
    one: await writeRate(engine, 1, MEASURED_MS),
  };
}

/** Each writer has a hundred documents and writes the next version of the next one. */
async function writeRate(
  engine: SqliteEngine,
  writers: number,
  milliseconds: number,
  versionsKept = 0,
): Promise<number> {
  const started = performance.now();
  let count = 0;
  const write = async (writer: number) => {
    const versions = new Map<DocumentPath, number | null>();
    for (let turn = 0; performance.now() - started < milliseconds; turn++) {
      const path = pathOf((turn % 100) * 500 + writer);
      const expected = versions.has(path)
        ? versions.get(path)!
        : ((await engine.stat(path))?.version ?? null);
      const content = documentOf((documents += 1));
      const applied = await engine.apply({
        operations: [{ op: "put", path, content, expected }],
        author: "bench",
        versionsKept,
      });
      versions.set(path, applied.effects[0]!.after!.version);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  return (count * 1000) / (performance.now() - started);
}

/** The same rows, `rows` of them a commit. */
function rawRate(path: string, rows: number): number {
  using db = new Database(path, { create: true });
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA synchronous = FULL");
  db.run("PRAGMA locking_mode = EXCLUSIVE");
  db.run(
    "CREATE TABLE blobs (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, content BLOB NOT NULL) STRICT",
  );
  db.run(
    "CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, live INTEGER NOT NULL, hash TEXT NOT NULL) STRICT",
  );
  db.run(
    "CREATE TABLE versions (file_id INTEGER, version INTEGER, blob_id INTEGER, hash TEXT, PRIMARY KEY (file_id, version)) STRICT, WITHOUT ROWID",
  );
  db.run("CREATE TABLE changes (seq INTEGER PRIMARY KEY, file_id INTEGER, version INTEGER) STRICT");
  const blob = db.prepare("INSERT INTO blobs (hash, content) VALUES (?, ?) RETURNING id");
  const file = db.prepare(
    "INSERT INTO files (path, live, hash) VALUES (?1, 1, ?2) ON CONFLICT (path) DO UPDATE SET live = live + 1, hash = ?2 RETURNING id, live",
  );
  const version = db.prepare("INSERT INTO versions VALUES (?, ?, ?, ?)");
  const change = db.prepare("INSERT INTO changes VALUES (?, ?, ?)");
  let seq = 0;
  const one = () => {
    const content = documentOf((documents += 1));
    const hash = Bun.CryptoHasher.hash("sha256", content, "hex");
    const { id: blobId } = blob.get(hash, Bun.zstdCompressSync(content, { level: 1 })) as { id: number };
    seq += 1;
    const { id, live } = file.get(pathOf(seq % 6_400), hash) as { id: number; live: number };
    version.run(id, live, blobId, hash);
    change.run(seq, id, live);
  };
  const commit = db.transaction(() => {
    for (let row = 0; row < rows; row++) one();
  });
  const started = performance.now();
  while (performance.now() - started < MEASURED_MS) commit();
  const rate = (seq * 1000) / (performance.now() - started);
  for (const statement of [blob, file, version, change]) statement.finalize();
  return rate;
}

async function readRate(engine: SqliteEngine): Promise<Row> {
  const started = performance.now();
  for (let count = 0; count < READS; count++) await engine.read(pathOf((count * 7_919) % FILES));
  const rate = (READS * 1000) / (performance.now() - started);
  return figure(`reads of 2 KB among ${FILES} files`, rate, { unit: "/s" });
}

async function deltaTime(engine: SqliteEngine): Promise<Row> {
  const head = engine.head();
  await engine.apply({
    operations: [{ op: "put", path: pathOf(1), content: documentOf(-1) }],
    author: "bench",
  });
  const started = performance.now();
  for (let count = 0; count < 1_000; count++) await engine.changesSince(head);
  const measured = performance.now() - started;
  return figure(`one change among ${FILES} files`, measured, { unit: "µs", atMost: 100 });
}

/** How long a listing takes, and how long nothing else can run meanwhile. */
async function listing(engine: SqliteEngine): Promise<Row[]> {
  let longest = 0;
  let last = performance.now();
  let running = true;
  const watch = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) setImmediate(watch);
  };
  setImmediate(watch);
  const started = performance.now();
  await engine.list();
  const first = performance.now() - started;
  const again = performance.now();
  await engine.list();
  const second = performance.now() - again;
  running = false;
  return [
    figure(`first list of ${FILES} files after a start`, first),
    figure("the next list", second, { atMost: 1_000 }),
    figure("longest pause for others during a list", longest, { atMost: 100 }),
  ];
}

function rateRow(name: string, measured: number, limit: number, target: string, least: number): Row {
  return { name, measured, unit: "/s", limit, ratio: measured / limit, target, met: measured >= least };
}

function flatRow(name: string, measured: number, limit: number): Row {
  const target = `within ${FLAT_WITHIN * 100} % of the empty space`;
  return { ...ratioRow(name, measured, limit, 1 - FLAT_WITHIN), target };
}

function ratioRow(name: string, measured: number, limit: number, least: number): Row {
  const ratio = measured / limit;
  return { name, measured, unit: "/s", limit, ratio, target: `≥ ${least} of that`, met: ratio >= least };
}
