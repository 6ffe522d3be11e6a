// The checks of `cairn doctor` on a data directory that no server has open. They lock, repair and migrate nothing; where reading would change a
// file, they read a copy (kit/db-untouched.ts).

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS, type Clock } from "../../kit/clock.ts";
import { lookAt } from "../../kit/storage/db-untouched.ts";
import { AppError } from "../../kit/error.ts";
import { nounFor, plural } from "../../kit/text/amounts.ts";
import { verifyOffline } from "../audit/audit.ts";
import { auditPath, readLinesBack } from "../audit/audit-file.ts";
import type { AuditVerification } from "../audit/schema.ts";
import { parseRecord } from "../audit/record.ts";
import type { FileRecord } from "../versioned-store/schema.ts";
import { inspectTree, lastChangeIn } from "../versioned-store/sqlite/inspection.ts";
import { sqlite } from "../versioned-store/sqlite/kind.ts";
import { shutFolder } from "../spaces/folders.ts";
import { lostDatabase, lostDatabaseRemedy, readSpaceFile, spaceFilePath } from "../spaces/space-file.ts";
import type { DoorState } from "../people/local-door.ts";
import { fail, ok, quoted, skipped, warn, type Verdict } from "./finding.ts";

const RESTORE = "restore a backup (cairn backup restore), or move it away";
const RESTORE_LOST =
  "restore a backup (cairn backup restore); or, to start without users, tokens and rules, move the audit record away";

/** The data directory, and a directory for copies. */
export interface Place {
  readonly directory: string;
  readonly scratch: string;
  readonly clock: Clock;
}

export const databaseOf = (directory: string) => join(directory, "server.db");
const folderOf = (directory: string, space: string) => join(directory, "spaces", space);
export const spaceDatabaseOf = (directory: string, space: string) =>
  join(folderOf(directory, space), ".cairn", "space.db");

/** The names of the folders that may be spaces. */
interface SpaceFolders {
  readonly spaces: readonly string[];
  /** Spaces whose `space.yaml` is missing or unreadable. */
  readonly lost: readonly string[];
  /** Paths of folders whose content this user may not see. */
  readonly shut: readonly string[];
  readonly others: readonly string[];
  /** The error of the directory that cannot be listed. */
  readonly unlisted?: unknown;
}

function spaceFolders(directory: string): SpaceFolders {
  const folder = join(directory, "spaces");
  const names = (
    statSync(folder, { throwIfNoEntry: false }) ? readdirSync(folder, { withFileTypes: true }) : []
  )
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".removed-"))
    .map(({ name }) => name)
    .sort();
  const hasDatabase = (name: string) => existsSync(spaceDatabaseOf(directory, name));
  const isSpace = (name: string) => existsSync(spaceFilePath(join(folder, name))) || hasDatabase(name);
  const isReadable = (name: string) => {
    try {
      readSpaceFile(spaceFilePath(join(folder, name)));
      return true;
    } catch {
      return false;
    }
  };
  const spaces = names.filter(isSpace);
  const lost = spaces.filter((name) => hasDatabase(name) && !isReadable(name));
  const shutOf = (name: string) => shutFolder(folder, name);
  const rest = names.filter((name) => !isSpace(name));
  const others = rest.filter((name) => shutOf(name) === undefined);
  return { spaces, lost, shut: rest.flatMap((name) => shutOf(name) ?? []), others };
}

/** Never raises: `spacesVerdict` does for a directory that cannot be listed. */
export function listed(directory: string): SpaceFolders {
  try {
    return spaceFolders(directory);
  } catch (unlisted) {
    return { spaces: [], lost: [], shut: [], others: [], unlisted };
  }
}

export async function database(path: string, { scratch }: Place): Promise<Verdict> {
  try {
    const problems = await lookAt(path, scratch, (db) => db.problems());
    if (problems.length === 0) return ok(`${path} is intact`);
    return fail(`${path} is damaged: ${problems[0]}${problems.length > 1 ? ", and more" : ""}`, RESTORE);
  } catch (error) {
    if (!isAboutContent(error)) throw error;
    return fail(error.message, error.code === "not_found" ? RESTORE_LOST : RESTORE);
  }
}

/** Any other error says that nobody looked: a process writes to the database, or there is no place for a copy of it. */
function isAboutContent(error: unknown): error is AppError {
  return error instanceof AppError && error.code !== "conflict" && error.code !== "refused";
}

/** Undefined: the database of the space is there. */
export function lostDatabaseVerdict(space: string, directory: string): Verdict | undefined {
  const folder = folderOf(directory, space);
  const lost = lostDatabase(folder, sqlite);
  return lost === undefined ? undefined : fail(lost, lostDatabaseRemedy(folder, space));
}

export async function tree(space: string, place: Place): Promise<Verdict> {
  const { directory, scratch, clock } = place;
  const path = spaceDatabaseOf(directory, space);
  const folder = folderOf(directory, space);
  const { files, waiting } = await lookAt(path, scratch, (db) => inspectTree(db, folder, clock));
  return treeVerdict(space, directory, files, waiting.size);
}

/** `waiting`: the number of paths that the next open brings up to date; they are not edits. Undefined: a running server knows them. */
export function treeVerdict(
  space: string,
  directory: string,
  found: readonly FileRecord[],
  waiting?: number,
): Verdict {
  // Files of other programs, such as .git, are to stay where they are.
  const files = found.filter(({ refused }) => refused?.code !== "reserved_name");
  const count = (wanted: string) => files.filter(({ state }) => state === wanted).length;
  const [modified, untracked, missing] = [count("modified"), count("untracked"), count("missing")];
  const refused = count("refused");
  const edits = `${modified} modified, ${untracked} untracked, ${missing} missing, ${refused} refused`;
  const counts = waiting === undefined ? edits : `${edits}, ${waiting} waiting for repair`;
  if (modified + untracked + missing + refused + (waiting ?? 0) === 0)
    return ok(plural(files.length, "file matches its record", "files match their records"));
  const at = `--server-dir ${quoted(directory)}`;
  if (waiting !== undefined && waiting > 0)
    return warn(counts, `nothing to do: the next start, or cairn space show ${space} ${at}, repairs it`);
  if (modified + untracked > 0) return warn(counts, `record them: cairn space adopt ${space} ${at}`);
  const shown = `that cairn file list --space ${space} ${at} shows as`;
  if (missing === 0) return warn(counts, `rename or move away each file ${shown} refused`);
  // The server lists a file that a full disk refused as missing, too.
  const later =
    waiting === undefined
      ? "the server restores files that the disk refused when it lists or writes files; "
      : "";
  return warn(
    counts,
    `${later}restore each file ${shown} missing (cairn file revert <path> --to <version>), or delete it (cairn file delete <path>)`,
  );
}

/** The index is derived from the files, so nothing about it needs a repair by hand. */
export async function index(space: string, { directory, scratch }: Place): Promise<Verdict> {
  const path = join(folderOf(directory, space), ".cairn", "search.db");
  if (!existsSync(path)) return ok("not built yet; the first search builds it");
  const problems = await lookAt(path, scratch, (db) => db.problems()).catch((error: unknown) => {
    if (!isAboutContent(error)) throw error;
    return [error.message];
  });
  if (problems.length === 0) return ok(`${path} is intact`);
  return warn(`${path} is damaged`, "nothing to do: the next search builds it again, and takes longer");
}

export async function audit(place: Place): Promise<Verdict> {
  const path = auditPath(place.directory);
  return auditVerdict(
    await lookAt(databaseOf(place.directory), place.scratch, (db) => verifyOffline(path, db)),
  );
}

export function auditVerdict(found: AuditVerification): Verdict {
  if (found.ok) return ok(`the chain is intact, ${plural(found.entries, "record")}`);
  return fail(
    `line ${found.line}: ${found.problem}`,
    "compare audit/audit.jsonl with a backup to see what changed, then acknowledge the break: cairn audit acknowledge",
  );
}

/** Returns the latest record of the audit file and all spaces. */
export async function newest(
  spaces: readonly string[],
  place: Place,
): Promise<{ what: string; time: number } | undefined> {
  const found: { what: string; time: number }[] = [];
  const recorded = lastRecorded(auditPath(place.directory));
  if (recorded !== undefined) found.push({ what: "the last audit record", time: recorded });
  for (const space of spaces) {
    try {
      const path = spaceDatabaseOf(place.directory, space);
      const lastChange = await lookAt(path, place.scratch, lastChangeIn);
      if (lastChange !== undefined) found.push({ what: `the last change in ${space}`, time: lastChange });
    } catch {
      // The check of that database reports this.
    }
  }
  return found.sort((a, b) => b.time - a.time)[0];
}

function lastRecorded(path: string): number | undefined {
  for (const { bytes } of readLinesBack(path, statSync(path, { throwIfNoEntry: false })?.size ?? 0)) {
    const time = Date.parse(parseRecord(bytes)?.time ?? "");
    if (!Number.isNaN(time)) return time;
  }
  return undefined;
}

export function bootstrapToken({ directory, clock }: Place): Verdict {
  const path = join(directory, "auth", "bootstrap_admin.token");
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return ok("no token file is left");
  const expired = clock.now() - stats.mtimeMs > DAY_MS;
  return warn(
    `${path} still holds the first token, ${expired ? "which has expired" : "which is valid for 24 hours after its creation"}`,
    `${expired ? "" : "create a long-lived token with it (cairn auth token create), then "}rm ${quoted(path)}`,
  );
}

export function runFile(directory: string, state: DoorState): Verdict {
  const path = join(directory, "run", "server.json");
  if (state.kind === "running") return ok(`process ${state.door.pid} answers at ${state.door.url}`);
  if (state.kind === "starting") return ok(`process ${state.door.pid} is starting`);
  if (state.kind === "stale")
    return warn(
      `${path} is left over from process ${state.door.pid}, which crashed or is stopping now`,
      `rm ${quoted(path)}, or leave it: the next start replaces it`,
    );
  // Raises the refusal of a directory that may not be entered, so that nobody takes the file for missing.
  if (statSync(path, { throwIfNoEntry: false })) return warn(`cannot read ${path}`, `rm ${quoted(path)}`);
  return ok("no server is running, and none left a run file");
}

export function spacesVerdict(folders: SpaceFolders, directory: string): Verdict {
  const { spaces, lost, shut, others, unlisted } = folders;
  if (unlisted !== undefined) throw unlisted;
  if (shut.length > 0)
    return fail(
      `cannot read ${shut.join(", ")}: permission denied`,
      `chmod u+rwX ${shut.map(quoted).join(" ")}`,
    );
  if (lost.length > 0)
    return warn(
      `.cairn/space.yaml of ${lost.join(", ")} is missing or cannot be read`,
      "nothing to do: the next start sets the file aside and recreates it from the database of the space; repeat your manual edits there",
    );
  if (others.length > 0)
    return warn(
      `${others.join(", ")}: not ${nounFor(others.length, "a space", "spaces")}, because .cairn/space.yaml is missing`,
      `restore that file from a backup, or move the folder out of ${quoted(join(directory, "spaces"))}`,
    );
  return spaces.length > 0 ? ok(spaces.join(", ")) : skipped("no spaces yet");
}
