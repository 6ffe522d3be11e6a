// The least that a first clone has to do, in one thread: fetch the contents as the store holds them, check them by their hashes, store each as a
// version, and write each to a file under another name first. No rules, no paths proven, no merge, no links.

import { Database } from "bun:sqlite";
import { closeSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RunningContext } from "../kit/context/running-context.ts";
import { readContents, type Arrived } from "../../src/context/sync/contents.ts";

const FILES_PER_PULL = 500;
const BYTES_MAX = 1024 ** 3;

/** Clones the space `team` into `to`, which must not exist. */
export async function bareClone({ admin, url, bootstrap }: RunningContext, to: string): Promise<void> {
  mkdirSync(to);
  using db = new Database(join(to, "space.db"));
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA synchronous = NORMAL");
  db.run("CREATE TABLE blob (hash TEXT PRIMARY KEY, content BLOB) WITHOUT ROWID");
  db.run("CREATE TABLE version (path TEXT PRIMARY KEY, version INTEGER, hash TEXT) WITHOUT ROWID");
  const insertBlob = db.prepare("INSERT OR IGNORE INTO blob VALUES (?, ?)");
  const insertVersion = db.prepare("INSERT INTO version VALUES (?, ?, ?)");
  const store = db.transaction((arrived: readonly Arrived[]) => {
    for (const { path, version, bytes, coded } of arrived) {
      const hash = Bun.CryptoHasher.hash("sha256", bytes, "hex");
      insertBlob.run(hash, coded.content);
      insertVersion.run(path, version, hash);
    }
  });
  const pull = async (paths: readonly string[]) => {
    const response = await fetch(`${url}/api/v1/spaces/team/pull`, {
      method: "POST",
      headers: { authorization: `Bearer ${bootstrap}`, "content-type": "application/json" },
      body: JSON.stringify({ paths, form: "contents" }),
    });
    return Array.fromAsync(readContents(response.body!, BYTES_MAX));
  };
  const files = await admin.get("/spaces/team/files");
  const chunks = Array.from({ length: Math.ceil(files.length / FILES_PER_PULL) }, (_, index) =>
    files.slice(index * FILES_PER_PULL, (index + 1) * FILES_PER_PULL).map(({ path }) => path),
  );
  let next = pull(chunks[0]!);
  for (const index of chunks.keys()) {
    const arrived = await next;
    // The next contents arrive while these are written.
    next = pull(chunks[index + 1] ?? []);
    store(arrived);
    for (const { path, bytes } of arrived) writeFile(join(to, path), join(to, "new"), bytes);
  }
  await next;
}

function writeFile(path: string, scratch: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(scratch, "wx");
  writeSync(file, bytes);
  closeSync(file);
  renameSync(scratch, path);
}
