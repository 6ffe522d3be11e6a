// `cairn status`: the space that a command would act on, and its unrecorded changes.

import type { ListedFile } from "../../context/files/listing-schema.ts";
import { parseConflictName } from "../../context/sync/conflict-names.ts";
import type { HeldRow } from "../../context/replica/store.ts";
import type { SpaceDoor } from "../../context/space/door.ts";
import type { FileState } from "../../context/versioned-store/schema.ts";
import { processEnvironment, temporaryDirectory } from "../../kit/environment.ts";
import { spaceCommand } from "../command.ts";
import { nextCommand } from "../next-command.ts";
import { bytes, fields, plural, shown } from "../tables.ts";

/** The states of files that the last version does not show, in the order of the report. */
const CHANGES = ["modified", "untracked", "missing", "refused"] as const satisfies readonly FileState[];
type Change = (typeof CHANGES)[number];
/** The rest is counted: `cairn file list` shows all of them. */
const NAMED_MAX = 20;

/** The space of a server that a folder follows. */
type Origin = { readonly server: string; readonly space: string; readonly user: string };

type Given = Readonly<Record<string, unknown>>;

type Held = Pick<HeldRow, "path" | "direction" | "reason">;

interface Status {
  readonly space: string;
  /** A folder, or the address of a server. */
  readonly place: string;
  readonly head: string;
  readonly files: number;
  readonly bytes: number;
  readonly versions: number;
  /** Paths by state. */
  readonly changes: Readonly<Record<Change, readonly string[]>>;
  /** Files that a sync left beside others, since it could not merge them. */
  readonly conflicts: readonly string[];
  /** Null: the folder does not sync, or the space is on a server. */
  readonly sync: Origin | null;
  /** Changes that the last sync could not send or bring. */
  readonly held: readonly Held[];
}

async function statusOf(space: SpaceDoor): Promise<Status> {
  const { head, files, bytes: size, versions } = await space.record();
  const listed = await space.list();
  return {
    space: space.name,
    place: space.place,
    head,
    files,
    bytes: size,
    versions,
    changes: changesOf(listed),
    conflicts: listed.flatMap(({ path }) => (parseConflictName(path) ? [path] : [])),
    ...(await syncOf(space.place)),
  };
}

async function syncOf(place: string): Promise<Pick<Status, "sync" | "held">> {
  const { isReplica, readReplicaState } = await import("../../context/replica/state.ts");
  if (!isReplica(place)) return { sync: null, held: [] };
  return readReplicaState(place, temporaryDirectory(processEnvironment()), (state) => {
    const held = state.held().map(({ path, direction, reason }) => ({ path, direction, reason }));
    return { sync: state.origin ?? null, held };
  });
}

function changesOf(listed: readonly ListedFile[]): Status["changes"] {
  // Files of other programs, such as .git, are to stay as they are.
  const files = listed.filter(({ refused }) => refused?.code !== "reserved_name");
  const paths = (wanted: Change) => files.flatMap(({ path, state }) => (state === wanted ? [path] : []));
  return {
    modified: paths("modified"),
    untracked: paths("untracked"),
    missing: paths("missing"),
    refused: paths("refused"),
  };
}

function statusText(status: Status, args: Given): string {
  const { changes, conflicts, sync, held } = status;
  const totals = `${plural(status.files, "file")}, ${bytes(status.bytes)}, ${plural(status.versions, "version")}`;
  const follows = sync === null ? {} : { follows: `${sync.space} of ${sync.server} as ${sync.user}` };
  const head = fields({ space: status.space, place: status.place, content: totals, ...follows });
  const changed = [
    ...CHANGES.flatMap((state) => changes[state].map((path) => lineOf(state, path))),
    ...conflicts.map((path) => lineOf("conflict", path)),
    ...held.map(({ path, reason }) => `${lineOf("held", path)}: ${shown(reason)}`),
  ];
  if (changed.length === 0) return `${head}\n\neverything on disk is recorded`;
  const named = changed.slice(0, NAMED_MAX);
  if (changed.length > NAMED_MAX)
    named.push(`  and ${changed.length - NAMED_MAX} more: ${nextCommand(["file", "list"], [], args)}`);
  return [head, "", ...named, "", ...hintsOf(status, args)].join("\n");
}

function lineOf(state: Change | "conflict" | "held", path: string): string {
  return `  ${state.padEnd("untracked".length)}  ${shown(path)}`;
}

function hintsOf({ changes, conflicts, held }: Status, args: Given): string[] {
  const { modified, untracked, missing, refused } = changes;
  const hints = {
    [`show an edit: ${nextCommand(["file", "diff", "<path>"], [], args)}`]: modified.length,
    [`record every edit and new file: ${nextCommand(["space", "adopt"], [], args)}`]:
      modified.length + untracked.length,
    [`record that a file is gone: ${nextCommand(["file", "delete", "<path>"], [], args)}`]: missing.length,
    [`get a missing file back: ${nextCommand(["file", "revert", "<path>", "--to", "<version>"], [], args)}`]:
      missing.length,
    [`see why a file is refused: ${nextCommand(["file", "list"], [], args)}`]: refused.length,
    [`resolve a conflict: ${nextCommand(["conflict", "list"], [], args)}`]: conflicts.length,
    [`try a held change again: ${nextCommand(["sync"], [], args)}`]: held.length,
  };
  return Object.entries(hints).flatMap(([hint, files]) => (files > 0 ? [hint] : []));
}

export const statusCommand = spaceCommand({
  name: "status",
  description: "Show the current space and its unrecorded changes",
  args: {},
  ask: statusOf,
  show: statusText,
});
