// A backup taken apart and put together again with something changed, the way damage or a forger would; and everything that a server
// knows, as one value to compare.

import { Database } from "bun:sqlite";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { writeArchive } from "../../../src/kit/backup/archive.ts";
import type { Manifest } from "../../../src/context/backup/schema.ts";
import { manifestHash } from "../../../src/context/backup/unpack.ts";
import { sha256Hex } from "../../../src/kit/crypto.ts";
import type { BackupMember } from "../backup-members.ts";
import type { ContextClient } from "./context-server.ts";

const never = new AbortController().signal;

export async function pack(path: string, members: readonly BackupMember[]): Promise<string> {
  const handle = await open(path, "wx", 0o600);
  try {
    const sources = async function* () {
      for (const { name, bytes } of members) yield { name, size: bytes.length, content: [bytes] };
    };
    await writeArchive(handle, sources(), 0, never);
  } finally {
    await handle.close();
  }
  return path;
}

export function manifestIn(members: readonly BackupMember[]): Manifest {
  const { bytes } = members.find(({ name }) => name === "manifest.json")!;
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as Manifest;
}

/** With the hash of the manifest made to fit, as someone would who knows how. */
export function withManifest(
  members: readonly BackupMember[],
  change: (manifest: Manifest) => object,
): BackupMember[] {
  const changed = change(manifestIn(members)) as Manifest;
  const bytes = Buffer.from(JSON.stringify({ ...changed, hash: manifestHash(changed) }));
  return members.map((member) => (member.name === "manifest.json" ? { name: member.name, bytes } : member));
}

/** Another content of one file, and a manifest that says so. */
export function withMember(
  members: readonly BackupMember[],
  name: string,
  bytes: Uint8Array,
): BackupMember[] {
  const other = members.map((member) => (member.name === name ? { name, bytes } : member));
  return withManifest(other, (manifest) => ({
    ...manifest,
    members: manifest.members.map((member) =>
      member.name === name ? { name, size: bytes.length, sha256: sha256Hex(bytes) } : member,
    ),
  }));
}

/** Runs SQL in a database that is in a backup. */
export async function edited(folder: string, bytes: Uint8Array, sql: string): Promise<Uint8Array> {
  const path = join(folder, `edited-${sha256Hex(bytes).slice(0, 8)}-${sha256Hex(sql).slice(0, 8)}.db`);
  await Bun.write(path, bytes);
  const db = new Database(path);
  db.run("PRAGMA journal_mode = DELETE");
  db.run(sql);
  db.run("PRAGMA journal_mode = WAL");
  db.close();
  return Bun.file(path).bytes();
}

const PEOPLE_TABLES = ["users", "acl", "webhooks", "webhook_deliveries"];

/** Of a server that does not run. Tokens without their last use, which is stored now and then. */
export function peopleOf(directory: string): unknown {
  using db = new Database(join(directory, "server.db"));
  // How far a webhook is in the log of events moves by itself.
  const rowsOf = (name: string) =>
    (db.query(`SELECT * FROM ${name} ORDER BY 1`).all() as object[]).map((row) => ({ ...row, cursor: null }));
  const tables = PEOPLE_TABLES.map((name) => [name, rowsOf(name)]);
  const tokens = db.query(
    "SELECT id, user_id, hash, kind, label, created_at, expires_at FROM tokens ORDER BY id",
  );
  return { ...Object.fromEntries(tables), tokens: tokens.all() };
}

/** Every file, every version with its content, rules, limits and snapshots of every space; heads without their epoch. */
export async function spacesOf(admin: ContextClient): Promise<unknown> {
  const seqOf = (head: string) => head.split(".")[1];
  const spaces = await admin.get("/spaces");
  return Promise.all(
    spaces.map(async (space) => {
      const below = `/spaces/${space.name}` as const;
      const files = await admin.get(`${below}/files?deleted=1`);
      const histories = await Promise.all(
        files.map(async ({ path }) => {
          const encoded = path.split("/").map(encodeURIComponent).join("/");
          const history = await admin.get(`${below}/history/${encoded}`);
          const kept = history.versions.filter(({ destroyed, pruned }) => !destroyed && !pruned);
          const contents = await Promise.all(
            kept.map(async ({ version }) => {
              const answer = await admin.raw("GET", `${below}/files/${encoded}?version=${version}`);
              return [version, answer.status, await answer.text()];
            }),
          );
          return { history, contents };
        }),
      );
      const snapshots = await admin.get(`${below}/snapshots`);
      return {
        ...space,
        head: seqOf(space.head),
        files,
        histories,
        snapshots: snapshots.map((one) => ({ ...one, head: seqOf(one.head) })),
        sync: await admin.get(`${below}/sync`),
      };
    }),
  );
}
