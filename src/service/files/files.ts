// Rules for the files of a workspace: list, read, save. A save is atomic and conditional on the version that the writer read.
//
// Saves of one workspace are serialised, so that exactly one of several with the same condition wins. Access is checked again under the lock,
// last just before the rename. After the rename the save is recorded, even if the rights have changed meanwhile (begun-saves.ts).

import { ownTurn, rfc3339 } from "../../kit/clock.ts";
import { compare } from "../../kit/compare.ts";
import { sha256Hex } from "../../kit/crypto.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, badParameter, fieldError, messageOf, notFound } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { KeyedLock } from "../../kit/concurrency/keyed-lock.ts";
import { parseDocumentPath, pathProblem, type DocumentPath } from "../../kit/text/paths.ts";
import type { Listed, OpenedFile } from "../../kit/disk/paths-disk.ts";
import { brokenStart, decodeUtf8, wholeCharacters } from "../../kit/text/utf8.ts";
import { StorageError } from "../../kit/storage-error.ts";
import type { WorkerPool } from "../../kit/workers/pool.ts";
import type { Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import type { BegunSave, BegunSaves } from "./begun-saves.ts";
import type { Directories } from "./directories.ts";
import { FIND_JOB } from "./find-job.ts";
import {
  FILE_BYTES_MAX,
  FIND_CHARACTERS_MAX,
  FIND_FILES_DEFAULT,
  isTemporary,
  READ_PART_BYTES_MAX,
  TEMPORARY_PREFIX,
  type FileContent,
  type FileEntry,
  type FindQuery,
  type FoundInFiles,
  type SavedFile,
} from "./schema.ts";
import { requireExpected, versionOf, versionOfLarge, type Expected } from "./version.ts";

const TEMPORARY_HASH_CHARACTERS = 16;

interface FilesDeps {
  db: Db;
  access: Access;
  saves: BegunSaves;
  directories: Directories;
  workers: WorkerPool;
  log: Log;
}

export interface FilePart {
  readonly path: string;
  readonly text: string;
  /** Byte range of the part: `[start, end)` of `size`. */
  readonly start: number;
  readonly end: number;
  readonly size: number;
}

interface Content {
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly version: string;
  readonly large: boolean;
}

export class Files {
  readonly #deps: FilesDeps;
  readonly #saving = new KeyedLock<number>();

  constructor(deps: FilesDeps) {
    this.#deps = deps;
  }

  /** Lists one level, directories first; empty before the first save. Raises `not_found`, `invalid`. */
  async list(caller: Caller, workspaceId: number, path: string | undefined): Promise<FileEntry[]> {
    const { access, directories } = this.#deps;
    access.workspace(caller, workspaceId);
    const directory = path === undefined || path === "" ? "" : filePath(path);
    const listed = await directories.rootOf(workspaceId).list(directory);
    if (listed === undefined) {
      if (directory === "") return [];
      throw notFound("directory", directory);
    }
    return entriesOf(directory, listed);
  }

  /** Finds a text in all files, in a worker. Raises `invalid`, `unavailable` while too much else is queued. */
  async find(caller: Caller, workspaceId: number, query: FindQuery): Promise<FoundInFiles> {
    const { access, directories, workers } = this.#deps;
    access.workspace(caller, workspaceId);
    if (query.q === "" || /[\r\n]/.test(query.q)) throw badParameter("q", "must be a part of one line");
    if (query.q.length > FIND_CHARACTERS_MAX)
      throw badParameter("q", `at most ${FIND_CHARACTERS_MAX} characters`);
    const input = {
      directory: directories.pathOf(workspaceId),
      text: query.q,
      matchCase: query.case === "1",
      limit: query.limit ?? FIND_FILES_DEFAULT,
    };
    const found = await workers.run(FIND_JOB, input, { by: `user:${caller.userId}` });
    // Rights may have changed while the files were read.
    access.workspace(caller, workspaceId);
    return found;
  }

  /** Raises `not_found`, `invalid`, `not_text`. */
  async read(caller: Caller, workspaceId: number, path: string): Promise<FileContent> {
    this.#deps.access.workspace(caller, workspaceId);
    const proven = filePath(path);
    await using file = await this.#open(workspaceId, proven);
    const { bytes, size, version, large } = await contentOf(file);
    await ownTurn();
    const content = decodeUtf8(large ? bytes.subarray(0, wholeCharacters(bytes)) : bytes);
    if (content === undefined) throw notText(proven);
    return { path: proven, content, version, size, read_only: large };
  }

  /** Reads a part that fits in a prompt, in whole characters. Raises the errors of `read`. */
  async readPart(caller: Caller, workspaceId: number, path: string, offset: number): Promise<FilePart> {
    this.#deps.access.workspace(caller, workspaceId);
    const proven = filePath(path);
    await using file = await this.#open(workspaceId, proven);
    if (offset > 0 && offset >= file.size)
      throw fieldError("invalid", "offset", `${proven} has ${file.size} bytes`);
    const bytes = await readUpTo(file, READ_PART_BYTES_MAX, offset);
    const first = offset === 0 ? 0 : brokenStart(bytes);
    const last = offset + bytes.length < file.size ? wholeCharacters(bytes) : bytes.length;
    const text = decodeUtf8(bytes.subarray(first, last));
    if (text === undefined) throw notText(proven);
    return {
      path: proven,
      text,
      start: offset + first,
      end: offset + last,
      size: Math.max(file.size, offset + last),
    };
  }

  /**
   * Saves a file, and creates missing directories. Calls `content` only after the access check. Raises `stale` with the current version,
   * `not_text`, `too_large` (the file is read-only because of its size), `unavailable` (disk full; nothing is changed).
   */
  async save(
    caller: Caller,
    workspaceId: number,
    path: string,
    { expected, content }: { expected: Expected; content: () => Promise<Uint8Array> },
  ): Promise<SavedFile & { created: boolean }> {
    this.#deps.access.workspace(caller, workspaceId);
    const proven = filePath(path);
    const bytes = await content();
    if (bytes.length > FILE_BYTES_MAX)
      throw new AppError("too_large", `${proven}: a file may have at most ${FILE_BYTES_MAX} bytes`, {
        limit_bytes: FILE_BYTES_MAX,
      });
    if (decodeUtf8(bytes) === undefined) throw notText(proven);
    return this.#saving.run(workspaceId, () => this.#save(caller, workspaceId, proven, { expected, bytes }));
  }

  /** Reads the exact bytes of a file on behalf of the workspace (inputs of gears). Raises `not_found`, `invalid`, `too_large`. */
  async readWorkspaceFile(
    workspaceId: number,
    path: string,
    bytesMax: number,
  ): Promise<{ path: string; content: Uint8Array }> {
    const proven = filePath(path);
    await using file = await this.#open(workspaceId, proven);
    const content = file.size > bytesMax ? undefined : await readUpTo(file, bytesMax + 1, 0);
    if (!content || content.length > bytesMax)
      throw new AppError("too_large", `${proven}: larger than ${bytesMax} bytes`, { limit_bytes: bytesMax });
    return { path: proven, content };
  }

  /**
   * Yields all files of a workspace, directory by directory, without an access check, and directories that cannot be listed. A link to a directory
   * is `other`, because its files are at a place of their own.
   */
  async *walk(workspaceId: number): AsyncGenerator<Pick<FileEntry, "path" | "kind" | "size">> {
    const root = this.#deps.directories.rootOf(workspaceId);
    const directories: (DocumentPath | "")[] = [""];
    for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
      const listed = await root.list(directory).catch(() => "unlisted" as const);
      if (listed === "unlisted") {
        yield { path: directory, kind: "directory", size: null };
        continue;
      }
      const isEntered = (each: Listed) => each.kind !== "directory" || !each.isLink;
      const followed = listed?.map((each) => (isEntered(each) ? each : { ...each, kind: "other" as const }));
      for (const entry of entriesOf(directory, followed ?? []))
        if (entry.kind === "directory") directories.push(filePath(entry.path));
        else yield entry;
    }
  }

  /** Writes a file of a workspace that is being imported, without an access check and without an event. Raises `invalid`. */
  async restore(workspaceId: number, path: string, bytes: Uint8Array): Promise<void> {
    const proven = filePath(path);
    const root = this.#deps.directories.rootOf(workspaceId);
    await this.#saving.run(workspaceId, async () => {
      await using place = await root.place(proven, "create");
      await place!.replace(bytes, temporaryName(proven));
    });
  }

  /** Removes the files of a deleted workspace, after any running save. */
  async removeAll(workspaceId: number): Promise<void> {
    await this.#saving.run(workspaceId, async () => this.#deps.directories.remove(workspaceId));
  }

  /** Records, before anything is served, the saves that the last stop left without a record. Returns their number. */
  async recover(): Promise<number> {
    let recorded = 0;
    for (const begun of this.#deps.saves.all()) if (await this.#settle(begun)) recorded += 1;
    return recorded;
  }

  /** Creates the workspace's directory if needed, and returns its absolute path for mounting. It must not appear in prompts or responses. */
  async directoryOf(workspaceId: number): Promise<string> {
    await this.#deps.directories.rootOf(workspaceId).create();
    return this.#deps.directories.pathOf(workspaceId);
  }

  #open(workspaceId: number, path: DocumentPath): Promise<OpenedFile> {
    return this.#deps.directories.rootOf(workspaceId).open(path);
  }

  async #save(
    caller: Caller,
    workspaceId: number,
    path: DocumentPath,
    { expected, bytes }: { expected: Expected; bytes: Uint8Array },
  ): Promise<SavedFile & { created: boolean }> {
    const { db, access, saves, directories } = this.#deps;
    access.changeable(caller, workspaceId);
    const root = directories.rootOf(workspaceId);
    const current = await this.#current(workspaceId, path);
    requireExpected(path, expected, current?.version ?? null);
    if (current?.large)
      throw new AppError(
        "too_large",
        `${path}: larger than ${FILE_BYTES_MAX} bytes and therefore read-only`,
        {
          limit_bytes: FILE_BYTES_MAX,
        },
      );
    const saved = { path, version: versionOf(bytes), size: bytes.length, read_only: false as const };
    if (current?.version === saved.version) return { ...saved, created: false };
    const created = current === undefined;
    await using place = await root.place(path, "create");
    let begun: BegunSave | undefined;
    try {
      await place!.replace(bytes, temporaryName(path), {
        meanwhile: async () => {
          begun = await db.write(() => {
            access.changeable(caller, workspaceId);
            return saves.begin(caller, workspaceId, { ...saved, created }, current?.version);
          });
        },
        beforeRename: () => access.changeable(caller, workspaceId),
      });
      await db.write(() => saves.record(begun!));
    } catch (error) {
      if (begun) await this.#settle(begun);
      throw error;
    }
    return { ...saved, created };
  }

  /** Records a save without a record if the file has its content, otherwise forgets it. Returns whether it was recorded. */
  async #settle(begun: BegunSave): Promise<boolean> {
    const { db, saves, log } = this.#deps;
    const { workspaceId, path } = begun;
    try {
      const current = await this.#current(workspaceId, filePath(path)).catch(absentIfImpossible);
      return await db.write(() => saves.settle(begun, current?.version));
    } catch (error) {
      log.error("cannot tell whether a file was saved; the next start tries again", {
        workspace: workspaceId,
        error: messageOf(error),
      });
      return false;
    }
  }

  async #current(workspaceId: number, path: DocumentPath): Promise<Content | undefined> {
    await using place = await this.#deps.directories.rootOf(workspaceId).place(path);
    await using file = await place?.open();
    return file ? await contentOf(file) : undefined;
  }
}

function filePath(path: string): DocumentPath {
  const proven = parseDocumentPath("path", path);
  if (proven.split("/").some(isTemporary))
    throw fieldError("invalid", "path", `names that begin with ${TEMPORARY_PREFIX} are reserved`);
  return proven;
}

function temporaryName(path: DocumentPath): string {
  return TEMPORARY_PREFIX + sha256Hex(path).slice(0, TEMPORARY_HASH_CHARACTERS);
}

/** A path that is no file now has no content. A failure of the disk says nothing about it. */
function absentIfImpossible(error: unknown): undefined {
  if (error instanceof AppError && !(error instanceof StorageError)) return undefined;
  throw error;
}

/** Reads the whole file, or the head of one over the limit. */
async function contentOf(file: OpenedFile): Promise<Content> {
  const bytes = await readUpTo(file, FILE_BYTES_MAX + 1, 0);
  if (bytes.length <= FILE_BYTES_MAX)
    return { bytes, size: bytes.length, version: versionOf(bytes), large: false };
  const head = bytes.subarray(0, FILE_BYTES_MAX);
  const size = Math.max(file.size, bytes.length);
  return { bytes: head, size, version: versionOfLarge(head, size, file.modified), large: true };
}

async function readUpTo(file: OpenedFile, bytesMax: number, offset: number): Promise<Uint8Array> {
  // One byte more than the file's size, so that one read detects the end. If the file grows meanwhile, reading continues.
  let buffer = new Uint8Array(Math.min(bytesMax, Math.max(0, file.size - offset) + 1));
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.handle.read(buffer, length, buffer.length - length, offset + length);
    length += bytesRead;
    if (bytesRead === 0 || length === bytesMax) return buffer.subarray(0, length);
    if (length < buffer.length) continue;
    const larger = new Uint8Array(Math.min(bytesMax, buffer.length * 2));
    larger.set(buffer);
    buffer = larger;
  }
}

function notText(path: string): AppError {
  return new AppError("not_text", `${path}: not UTF-8 text`);
}

/** Without the temporary files of saves, directories first. */
function entriesOf(directory: string, listed: readonly Listed[]): FileEntry[] {
  return listed
    .filter(({ name }) => !isTemporary(name))
    .map((each) => toEntry(directory, each))
    .sort(inOrder);
}

/** An entry whose name the path rules refuse (another program made it) is listed, but cannot be opened. */
function toEntry(directory: string, { name, kind, size, modified }: Listed): FileEntry {
  const path = directory === "" ? name : `${directory}/${name}`;
  const openable = pathProblem(path) === undefined && name.normalize("NFC") === name;
  return {
    name,
    path,
    kind: openable ? kind : "other",
    size: openable ? size : null,
    modified_at: rfc3339(modified),
  };
}

function inOrder(a: FileEntry, b: FileEntry): number {
  const directories = Number(b.kind === "directory") - Number(a.kind === "directory");
  return directories || compare(a.name.toLowerCase(), b.name.toLowerCase()) || compare(a.name, b.name);
}
