// Reads a space in pages, for people who look through it: a folder, deleted files, conflict files, the latest changes. A page costs the same
// however many files there are. It shows what is recorded; edits on disk are found by `Files.list`.

import { Stretch, turnOfOthers } from "../../kit/clock.ts";
import { notFound } from "../../kit/error.ts";
import { filteredInTurns } from "../../kit/concurrency/filter-in-turns.ts";
import { parseDocumentPath, type DocumentPath } from "../../kit/text/paths.ts";
import type { Caller } from "../identity/caller.ts";
import type { OpenSpace } from "../spaces/open-space.ts";
import type { Spaces } from "../spaces/spaces.ts";
import { conflictIn } from "../sync/conflict-files.ts";
import { parseConflictName } from "../sync/conflict-names.ts";
import type { FileEngine, Head, LogEntry } from "../versioned-store/engine.ts";
import type { FileRecord } from "../versioned-store/schema.ts";

/** Sorts after everything in a folder: no path contains this character. */
const LAST = "\u{10ffff}";
/** The files read at once; few after a folder, because the next entry may be one too. */
const ROWS_FEW = 4;
const ROWS_MANY = 128;
/** Conflict files of one space; nobody resolves more in one go. */
const CONFLICTS_MAX = 1_000;
/** Of every conflict file, in front of who and when. */
const MARK = ".conflict-";
const NAMES_AT_ONCE = 2_000;

export interface FolderQuery {
  /** Empty: the top. */
  readonly folder: string;
  /** The last entry of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export type FolderEntry =
  | { readonly kind: "folder"; readonly name: string; readonly path: string }
  | { readonly kind: "file"; readonly name: string; readonly file: FileRecord };

export interface FolderPage {
  readonly entries: readonly FolderEntry[];
  /** The `after` of the next page; undefined: there is none. */
  readonly next: string | undefined;
}

export interface DeletedPage {
  readonly files: readonly FileRecord[];
  readonly next: number | undefined;
}

export interface ConflictFile {
  /** The file that it conflicts with. */
  readonly path: string;
  readonly copy: string;
  readonly user: string;
  readonly opened_at: string;
}

export class Browsing {
  readonly #spaces: Pick<Spaces, "looked">;
  /** The conflict files of a space at a head. */
  readonly #conflicts = new WeakMap<
    FileEngine,
    { readonly head: Head; readonly paths: ReadonlySet<string> }
  >();

  constructor(spaces: Pick<Spaces, "looked">) {
    this.#spaces = spaces;
  }

  /** Raises `not_found` for a folder without a file that the caller may see, except the top. */
  async folder(caller: Caller, spaceName: string, query: FolderQuery): Promise<FolderPage> {
    const space = await this.#spaces.looked(caller, spaceName);
    const folder = query.folder === "" ? "" : `${parseDocumentPath("folder", query.folder)}/`;
    const entries: FolderEntry[] = [];
    const stretch = new Stretch();
    for await (const entry of entriesOf(caller, space, folder, query.after)) {
      entries.push(entry);
      if (entries.length > query.limit) break;
      if (stretch.isOver()) await turnOfOthers();
    }
    if (entries.length === 0 && folder !== "" && query.after === undefined)
      throw notFound("folder", query.folder);
    const shown = entries.slice(0, query.limit);
    return { entries: shown, next: entries.length > query.limit ? shown.at(-1)!.name : undefined };
  }

  /** The files that were created last come first. */
  async deleted(
    caller: Caller,
    spaceName: string,
    { before, limit }: { readonly before?: number | undefined; readonly limit: number },
  ): Promise<DeletedPage> {
    const { engine } = await this.#spaces.looked(caller, spaceName);
    const files: FileRecord[] = [];
    let at = before;
    for (;;) {
      const found = await engine.deletedFiles(at, ROWS_MANY);
      for (const { id, record } of found) {
        if (!caller.rights.may("list", spaceName, record.path)) continue;
        if (files.length === limit) return { files, next: at };
        files.push(record);
        at = id;
      }
      if (found.length < ROWS_MANY) return { files, next: undefined };
      at = found.at(-1)!.id;
      await turnOfOthers();
    }
  }

  /** Sorted by path. At most CONFLICTS_MAX. */
  async conflicts(caller: Caller, spaceName: string): Promise<ConflictFile[]> {
    const { engine } = await this.#spaces.looked(caller, spaceName);
    const paths = [...(await this.#conflictPaths(engine))].toSorted();
    const sees = (path: string) => caller.rights.may("list", spaceName, path);
    const seen = await filteredInTurns(paths, sees, CONFLICTS_MAX);
    const conflicts: ConflictFile[] = [];
    const stretch = new Stretch();
    for (const copy of seen) {
      if (stretch.isOver()) await turnOfOthers();
      conflicts.push({ ...(await conflictIn(engine, copy, sees))!, copy });
    }
    return conflicts;
  }

  /** All names are looked at once; after that, those of changed files. */
  async #conflictPaths(engine: FileEngine): Promise<ReadonlySet<string>> {
    const head = engine.head();
    const known = this.#conflicts.get(engine);
    if (known?.head.epoch === head.epoch && known.head.seq === head.seq) return known.paths;
    const paths = new Set(known?.head.epoch === head.epoch ? known.paths : []);
    if (known?.head.epoch === head.epoch) {
      for (const { path, change } of await engine.changesSince(known.head))
        if (change === "deleted") paths.delete(path);
        else if (parseConflictName(path)) paths.add(path);
    } else {
      for (let after = ""; ; await turnOfOthers()) {
        const names = await engine.livePaths(after, NAMES_AT_ONCE);
        for (const path of names) if (path.includes(MARK) && parseConflictName(path)) paths.add(path);
        if (names.length < NAMES_AT_ONCE) break;
        after = names.at(-1)!;
      }
    }
    this.#conflicts.set(engine, { head, paths });
    return paths;
  }

  /** The latest changes that the caller may see, newest first; of the last `limit` of the space. */
  async recent(caller: Caller, spaceName: string, limit: number): Promise<LogEntry[]> {
    const { engine } = await this.#spaces.looked(caller, spaceName);
    const entries = await engine.log(Math.max(0, engine.head().seq - limit), limit);
    const seen = await filteredInTurns(entries, ({ path }) => caller.rights.may("list", spaceName, path));
    return seen.toReversed();
  }
}

async function* entriesOf(
  caller: Caller,
  { name: space, engine }: OpenSpace,
  folder: string,
  after: string | undefined,
): AsyncGenerator<FolderEntry> {
  const end = `${folder}${LAST}`;
  const seesAll = caller.rights.readsAll(space);
  const sees = (path: string) => seesAll || caller.rights.may("list", space, path);
  let at = after === undefined ? folder : await afterEntry(engine, folder, after);
  let count = ROWS_FEW;
  for (;;) {
    const rows = await engine.liveFiles(at, end, count);
    let isFolder = false;
    for (const file of rows) {
      const rest = file.path.slice(folder.length);
      const slash = rest.indexOf("/");
      isFolder = slash >= 0;
      if (isFolder) {
        const name = rest.slice(0, slash);
        const path = folder + name;
        at = `${path}/${LAST}`;
        if (seesAll || (await holdsVisible(engine, path, sees))) yield { kind: "folder", name, path };
        break;
      }
      at = file.path;
      if (sees(file.path)) yield { kind: "file", name: rest, file };
    }
    if (!isFolder && rows.length < count) return;
    count = isFolder ? ROWS_FEW : ROWS_MANY;
  }
}

/** A name can be a file or, after it was deleted, a folder: the position after both. */
async function afterEntry(engine: FileEngine, folder: string, name: string): Promise<string> {
  const path = folder + name;
  const inside = await engine.liveFiles(`${path}/`, `${path}/${LAST}`, 1);
  return inside.length > 0 ? `${path}/${LAST}` : path;
}

/** A folder whose files are all hidden does not exist for the caller. */
async function holdsVisible(
  engine: FileEngine,
  folder: string,
  sees: (path: DocumentPath) => boolean,
): Promise<boolean> {
  let at = `${folder}/`;
  for (;;) {
    const rows = await engine.liveFiles(at, `${folder}/${LAST}`, ROWS_MANY);
    if (rows.some(({ path }) => sees(path as DocumentPath))) return true;
    if (rows.length < ROWS_MANY) return false;
    at = rows.at(-1)!.path;
    await turnOfOthers();
  }
}
