// Walks a working tree. Yields the files that can be documents, and an entry with a reason for everything else. Follows no links and reads no
// content.

import { lstatSync, readdirSync, type Dirent, type Stats } from "node:fs";
import { accessProblem, problemWithoutPlace } from "../../../kit/disk/disk.ts";
import type { HeldRoot } from "../../../kit/disk/held-directory.ts";
import { AppError, systemCode } from "../../../kit/error.ts";
import { pathProblem, type DocumentPath } from "../../../kit/text/paths.ts";
import type { Refusal } from "../schema.ts";
import type { FileFacts } from "./look-job.ts";
import { isReserved } from "./reserved.ts";

/** A path of at most 1,024 bytes has fewer directories than this. */
const DEPTH_MAX = 512;
/** The replacement character of a UTF-8 decoder. */
const NOT_DECODED = "\ufffd";
/** Our own directories at the top of a space, which are not user files. */
const OWN: readonly string[] = [".cairn", ".sync"];

/** `name`: of a directory at the top of a space. */
export function isOwnDirectory(name: string): boolean {
  return OWN.includes(name);
}

const PLAIN = /^[\0-\x7f]*$/;
/** One object for all calls. */
const IF_THERE = { throwIfNoEntry: false } as const;

export interface NamedFile {
  readonly path: DocumentPath;
  /** The path as on disk, where characters may have another Unicode form. */
  readonly name: string;
}

export interface FoundFile extends NamedFile {
  readonly stats: FileFacts;
}

/** Something in the tree that cannot be a document. */
export interface RefusedEntry {
  /** As on disk; a trailing slash marks a directory, which includes everything below it. */
  readonly path: string;
  readonly refused: Refusal;
  /** In bytes; 0 for a directory or an entry that cannot be inspected. */
  readonly size: number;
  /** In ms since the epoch; 0 for an entry that cannot be inspected. */
  readonly modified: number;
}

/** The errors of something that is there and does not let itself be read. */
const UNREADABLE = ["EACCES", "EPERM", "EIO"];
/** The errors of a directory that was removed or replaced meanwhile. */
const GONE = ["ENOENT", "ENOTDIR", "ELOOP"];

/** Names that need no further look: plain ASCII, and no device of any system. */
const ORDINARY = /^(?!con|prn|aux|nul|clock|com|lpt)[a-z0-9_](?:[a-z0-9_ .+-]*[a-z0-9_+-])?$/i;
/** A path of fewer UTF-16 units is never too long in bytes. */
const SHORT_CHARACTERS = 255;

/** Yields everything below a directory, unsorted and lazily, so that the caller can pause. Raises `unavailable` if the root cannot be read, or the system fails. */
export function* walk(
  root: string,
  directories: HeldRoot,
  start: string,
): Generator<FoundFile | RefusedEntry> {
  for (const entry of walkNames(root, directories, start)) {
    if ("stats" in entry || "refused" in entry) {
      yield entry;
      continue;
    }
    const stats = lstatSync(`${root}/${entry.name}`, IF_THERE);
    if (stats?.isFile()) yield { path: entry.path, name: entry.name, stats };
  }
}

/** As `walk`, without a look at the files that a directory says are regular. */
export function* walkNames(
  root: string,
  directories: HeldRoot,
  start: string,
): Generator<NamedFile | FoundFile | RefusedEntry> {
  const left = [{ directory: start, depth: 0 }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { directory, depth } = next;
    const prefix = directory === "" ? "" : `${directory}/`;
    const isPlain = PLAIN.test(prefix);
    const entries = heldEntries(directories, directory);
    if ("refused" in entries) {
      // A user who could list its parent can also look at it.
      const modified = lstatSync(`${root}/${directory}`, IF_THERE)?.mtimeMs ?? 0;
      yield { ...entries, modified };
      continue;
    }
    let doubles: ReadonlySet<string> | undefined;
    let undecoded: UndecodedNames | undefined;
    for (const entry of entries) {
      const name = prefix + entry.name;
      const isOrdinary = ORDINARY.test(entry.name) && name.length <= SHORT_CHARACTERS && depth <= DEPTH_MAX;
      if (isOrdinary && entry.isFile()) {
        yield { path: (isPlain ? name : name.normalize("NFC")) as DocumentPath, name };
        continue;
      }
      if (directory === "" && isOwnDirectory(entry.name)) continue;
      const isOtherForm = entry.name !== entry.name.normalize("NFC");
      const isDouble = isOtherForm && (doubles ??= doublesOf(entries)).has(entry.name);
      const refused = isDouble ? DOUBLE : refusalOf(entry, name, depth);
      if (!refused && entry.isDirectory()) left.push({ directory: name, depth: depth + 1 });
      else {
        const stats =
          refused?.code === "bad_encoding"
            ? (undecoded ??= new UndecodedNames(`${root}/${directory}`)).factsOf(entry.name)
            : lstatSync(`${root}/${name}`, IF_THERE);
        if (refused) yield refusedEntry(name, entry, refused, stats);
        else if (stats?.isFile()) yield { path: name.normalize("NFC") as DocumentPath, name, stats };
      }
    }
  }
}

/** Of two names that differ in their Unicode form only, one would hide behind the other: the one in NFC is the document. */
const DOUBLE: Refusal = {
  code: "clash",
  reason: "has the same name as another file in another Unicode form",
};

function doublesOf(entries: readonly Dirent[]): ReadonlySet<string> {
  const names = entries.map(({ name }) => name);
  const taken = new Set(names);
  const doubles = new Set<string>();
  for (const name of names.toSorted()) {
    const path = name.normalize("NFC");
    if (path === name) continue;
    if (taken.has(path)) doubles.add(name);
    taken.add(path);
  }
  return doubles;
}

/** The names of a directory as bytes. A decoded name with a replacement character does not lead to its file, and several may be equal. */
class UndecodedNames {
  readonly #directory: string;
  readonly #left = new Map<string, Buffer[]>();

  constructor(directory: string) {
    this.#directory = directory;
    for (const name of namesOf(directory)) {
      const decoded = name.toString("utf8");
      if (!decoded.includes(NOT_DECODED)) continue;
      const equal = this.#left.get(decoded);
      if (equal) equal.push(name);
      else this.#left.set(decoded, [name]);
    }
  }

  /** Each call is about another entry of this name. Undefined: it is gone. */
  factsOf(decoded: string): Stats | undefined {
    const name = this.#left.get(decoded)?.pop();
    return name && lstatSync(Buffer.concat([Buffer.from(`${this.#directory}/`), name]), IF_THERE);
  }
}

function namesOf(directory: string): Buffer[] {
  try {
    return readdirSync(directory, { encoding: "buffer" });
  } catch {
    return [];
  }
}

/** A directory that is gone meanwhile has no entries. */
function heldEntries(directories: HeldRoot, directory: string): Dirent[] | RefusedEntry {
  try {
    using held = directories.hold(directory);
    return held ? readdirSync(held.entry("."), { withFileTypes: true }) : [];
  } catch (error) {
    const entry = directory === "" ? undefined : unreadable(`${directory}/`, error);
    if (entry) return entry;
    if (error instanceof AppError || GONE.includes(systemCode(error) ?? "")) return [];
    // As with too many open files: files that seem missing would be recorded as deleted.
    const what = directory === "" ? "the directory of the space" : directory;
    throw new AppError("unavailable", `${what} cannot be read: ${problemWithoutPlace(error)}`);
  }
}

/** The entry for something that is there and that the system does not let us read. Undefined for other errors. */
export function unreadable(path: string, error: unknown, facts?: FileFacts): RefusedEntry | undefined {
  if (!UNREADABLE.includes(systemCode(error) ?? "")) return undefined;
  const refused = { code: "unreadable", reason: accessProblem(error) } as const;
  return { path, refused, size: facts?.size ?? 0, modified: facts?.mtimeMs ?? 0 };
}

export function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function refusalOf(entry: Dirent, name: string, depth: number): Refusal | undefined {
  if (isReserved(entry.name)) return { code: "reserved_name", reason: `"${entry.name}" is a reserved name` };
  if (entry.name.includes(NOT_DECODED)) return { code: "bad_encoding", reason: "the name is not UTF-8" };
  const problem = pathProblem(name) ?? (depth > DEPTH_MAX ? "too many directories" : undefined);
  if (problem !== undefined) return { code: "bad_name", reason: problem };
  if (entry.isSymbolicLink()) return { code: "symlink", reason: "symbolic links are not followed" };
  if (!entry.isFile() && !entry.isDirectory()) return { code: "not_a_file", reason: "not a regular file" };
  return undefined;
}

function refusedEntry(name: string, entry: Dirent, refused: Refusal, stats: Stats | undefined): RefusedEntry {
  const isDirectory = entry.isDirectory();
  return {
    path: isDirectory ? `${name}/` : name,
    refused,
    size: isDirectory ? 0 : (stats?.size ?? 0),
    modified: stats?.mtimeMs ?? 0,
  };
}
