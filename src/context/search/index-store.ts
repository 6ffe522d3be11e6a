// The SQL of a text index, and how its database opens. Unlike other databases it may have several connections, because workers search at the same
// time, and it is not synced on each commit, because it can be built again.

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { createFile, removeFiles } from "../../kit/storage/db-file.ts";
import { systemCode } from "../../kit/error.ts";
import { isDamage } from "../../kit/storage-error.ts";
import { SEARCH_DATABASE } from "../versioned-store/sqlite/derived-files.ts";
import schema from "./migrations/001_search.sql" with { type: "text" };
import looks from "./migrations/002_looks.sql" with { type: "text" };

/** Another version of the schema is built again instead of migrated, except the one before, which only lacks a table. */
const SCHEMA_VERSION = 2;
const WITHOUT_LOOKS = 1;
/** The mark of an index that contained every file. */
const COMPLETE = 1;
const BUSY_TIMEOUT_MS = 30_000;
/** As in the schema, so that marking agrees with matching. */
const TOKENIZER = "unicode61 remove_diacritics 2";

export type Signature = {
  readonly size: number;
  readonly modified: number;
  readonly changed: number;
  readonly inode: number;
};

type Known = Signature & { readonly id: number };

export interface Candidate {
  readonly path: string;
  readonly score: number;
}

export type IndexStore = ReturnType<typeof indexStore>;

/** `own`: the directory `.cairn` of a space. A damaged index, or one of another version, is replaced by an empty one. */
export function openIndex(own: string): IndexStore {
  const path = join(own, SEARCH_DATABASE);
  try {
    return opened(path);
  } catch (error) {
    if (!isDamage(error)) throw error;
    removeFiles(path);
    return opened(path);
  }
}

/** An empty index that ends with its use, for a disk that has no room for one. */
export function indexInMemory(): IndexStore {
  return prepared(new Database(":memory:", { strict: true }));
}

function opened(path: string): IndexStore {
  try {
    createFile(path);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
  return prepared(new Database(path, { readwrite: true, create: false, strict: true }));
}

function prepared(db: Database): IndexStore {
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    db.run("PRAGMA journal_mode = WAL");
    db.run("PRAGMA synchronous = NORMAL");
    db.run("PRAGMA temp_store = MEMORY");
    db.run("PRAGMA secure_delete = ON");
    prepare(db);
    return indexStore(db);
  } catch (error) {
    db.close(false);
    throw error;
  }
}

function prepare(db: Database): void {
  if (versionOf(db) === SCHEMA_VERSION) return;
  db.transaction(() => {
    const before = versionOf(db);
    if (before === SCHEMA_VERSION) return;
    if (before !== WITHOUT_LOOKS) {
      db.run("DROP TABLE IF EXISTS words");
      db.run("DROP TABLE IF EXISTS searched");
      db.run(schema);
    }
    db.run("DROP TABLE IF EXISTS looks");
    db.run(looks);
    db.run(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  }).immediate();
}

function versionOf(db: Database): number {
  using statement = db.prepare<{ user_version: number }, []>("PRAGMA user_version");
  return statement.get()!.user_version;
}

function indexStore(db: Database) {
  const known = db.prepare("SELECT id, path, size, modified, changed, inode FROM searched");
  const find = db.prepare<Known & { digest: string }, [string]>(
    "SELECT id, size, modified, changed, inode, digest FROM searched WHERE path = ?",
  );
  const insert = db.prepare<{ id: number }, [{ path: string; digest: string } & Signature]>(
    "INSERT INTO searched (path, size, modified, changed, inode, digest) VALUES ($path, $size, $modified, $changed, $inode, $digest) RETURNING id",
  );
  const update = db.prepare<never, [{ id: number; digest: string } & Signature]>(
    "UPDATE searched SET size = $size, modified = $modified, changed = $changed, inode = $inode, digest = $digest WHERE id = $id",
  );
  const remove = db.prepare<never, [number]>("DELETE FROM searched WHERE id = ?");
  const addWords = db.prepare<never, [number, string]>("INSERT INTO words (rowid, text) VALUES (?, ?)");
  const dropWords = db.prepare<never, [number]>("DELETE FROM words WHERE rowid = ?");
  const matching = db.prepare<Candidate, [string, number]>(
    `SELECT f.path, -m.score AS score FROM (SELECT rowid AS id, bm25(words) AS score FROM words WHERE words MATCH ?1) m
     JOIN searched f ON f.id = m.id ORDER BY m.score, f.path LIMIT ?2`,
  );
  const fingerprint = db.prepare<{ fingerprint: string }, []>("SELECT fingerprint FROM looks");
  const setFingerprint = db.prepare<never, [string]>(
    "INSERT INTO looks (id, fingerprint) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET fingerprint = ?1",
  );
  return {
    /** By path. Rows come as arrays, because there is one for each file of the space. */
    known(): Map<string, Known> {
      const files = new Map<string, Known>();
      for (const row of known.values() as [number, string, number, number, number, number][]) {
        const [id, path, size, modified, changed, inode] = row;
        files.set(path, { id, size, modified, changed, inode });
      }
      return files;
    },
    find: (path: string) => find.get(path),
    insert: (row: { path: string; digest: string } & Signature) => insert.get(row)!.id,
    update: (row: { id: number; digest: string } & Signature) => void update.run(row),
    remove: (id: number) => void remove.run(id),
    addWords: (id: number, text: string) => void addWords.run(id, text),
    dropWords: (id: number) => void dropWords.run(id),
    /** Best first, ties by path. `expression`: made by terms.ts. */
    matching: (expression: string, limit: number) => matching.all(expression, limit),
    /** Reports whether it contained every file at some time, so that following the changes since then is enough. */
    isComplete(): boolean {
      using statement = db.prepare<{ application_id: number }, []>("PRAGMA application_id");
      return statement.get()!.application_id === COMPLETE;
    },
    bytes(): number {
      using statement = db.prepare<{ bytes: number }, []>(
        "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
      );
      return statement.get()!.bytes;
    },
    /** Of the files on disk when the index had nothing to add; see sqlite/fingerprint.ts. */
    fingerprint: () => fingerprint.get()?.fingerprint,
    setFingerprint: (text: string) => void setFingerprint.run(text),
    complete: () => void db.run(`PRAGMA application_id = ${COMPLETE}`),
    write: (work: () => void) => db.transaction(work).immediate(),
    [Symbol.dispose]: () => db.close(false),
  };
}

export type MarkStore = Omit<ReturnType<typeof markStore>, typeof Symbol.dispose>;

/** Marks the matches of an expression in single texts, with the tokenizer of the index. */
export function markStore() {
  const db = new Database(":memory:", { strict: true });
  db.run(`CREATE VIRTUAL TABLE marked USING fts5 (text, tokenize = '${TOKENIZER}')`);
  const add = db.prepare<never, [string]>("INSERT INTO marked (rowid, text) VALUES (1, ?)");
  const clear = db.prepare<never, []>("DELETE FROM marked");
  const marked = db.prepare<{ text: string }, [string, string, string]>(
    "SELECT highlight(marked, 0, ?2, ?3) AS text FROM marked WHERE marked MATCH ?1",
  );
  const matches = db.prepare<object, [string]>("SELECT 1 FROM marked WHERE marked MATCH ?1");
  const holding = <T>(text: string, ask: () => T): T => {
    add.run(text);
    try {
      return ask();
    } finally {
      clear.run();
    }
  };
  return {
    /** Returns the text with a mark before and after each match; undefined: the text does not match. Copies the text once for each match. */
    marked: (text: string, expression: string, before: string, after: string): string | undefined =>
      holding(text, () => marked.get(expression, before, after)?.text),
    matches: (text: string, expression: string): boolean =>
      holding(text, () => matches.get(expression) !== null),
    [Symbol.dispose]: () => db.close(false),
  };
}
