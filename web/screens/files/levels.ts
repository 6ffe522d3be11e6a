// The directories of a workspace, read one level at a time as they are opened, and again when a file in them is saved. The latest request
// wins, in whatever order responses arrive. Few are read at a time, so that a deep path delays nothing else.

import { type Accessor, createEffect, createSignal, on, onCleanup } from "solid-js";
import type { FileEntry } from "../../../src/service/files/schema.ts";
import { api, take } from "../../api/client.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import { createProblem, onReachedAgain } from "../../api/reach.ts";
import { compareNames } from "../../kit/names.ts";
import type { WorkspaceState } from "../../state/workspace-state.ts";
import { directoryToRead, type Levels as TreeLevels, parentsOf } from "../../parts/tree/tree-rows.ts";

/** A browser opens six connections to a host: the file itself and the event streams need some. */
const READS_AT_ONCE_MAX = 3;

type Levels = TreeLevels<FileEntry>;

export interface Directories {
  readonly levels: Accessor<Levels>;
  readonly open: Accessor<ReadonlySet<string>>;
  readonly problem: Accessor<Problem | undefined>;
  readonly toggle: (path: string) => void;
  /** Opens the directories above this file. */
  readonly reveal: (path: string) => void;
  /** Refetches every open directory. */
  readonly readAll: () => void;
}

export function createDirectories(
  workspaceId: number,
  savedFiles: Accessor<WorkspaceState["savedFiles"]>,
): Directories {
  const [levels, setLevels] = createSignal<Levels>(new Map());
  const [open, setOpen] = createSignal<ReadonlySet<string>>(new Set());
  const [problem, setProblem] = createProblem();
  /** Listed by their parent while they were read, so that an answer without them is out of date. */
  const seenMeanwhile = new Set<string>();
  const { read, isPending } = createReads(async (path, isLatest) => {
    try {
      const query = path === "" ? {} : { path };
      const entries = (await take(api.workspaces({ id: workspaceId }).files.get({ query }))).toSorted(
        inOrder,
      );
      if (!isLatest()) return;
      setLevels((before) => new Map(before).set(path, entries));
      setProblem(undefined);
      // An open directory that was created only now.
      for (const entry of entries) {
        if (entry.kind !== "directory" || !open().has(entry.path) || levels().has(entry.path)) continue;
        if (isPending(entry.path)) seenMeanwhile.add(entry.path);
        else read(entry.path);
      }
    } catch (error) {
      if (!isLatest()) return;
      const why = asProblem(error);
      if (why.code !== "not_found" || path === "") setProblem(why);
      else if (seenMeanwhile.delete(path)) read(path);
      // A missing directory: its parent will show when it exists.
      else setLevels((before) => without(before, path));
    } finally {
      if (isLatest()) seenMeanwhile.delete(path);
    }
  });

  const close = (path: string) =>
    setOpen((before) => new Set([...before].filter((one) => one !== path && !one.startsWith(`${path}/`))));
  const readAll = () => {
    for (const path of ["", ...open()]) read(path);
  };
  onCleanup(onReachedAgain(readAll));
  const add = (paths: readonly string[]) => {
    const missing = paths.filter((path) => !open().has(path));
    if (missing.length === 0) return;
    setOpen((before) => new Set([...before, ...missing]));
    for (const path of missing) read(path);
  };

  let before: WorkspaceState["savedFiles"] = savedFiles();
  createEffect(
    on(savedFiles, (now) => {
      const changed = [...now].filter(([path, { version }]) => before.get(path)?.version !== version);
      before = now;
      const concerned = new Set(changed.map(([path]) => directoryToRead(path, levels())));
      for (const directory of concerned) read(directory);
    }),
  );
  read("");
  return {
    levels,
    open,
    problem,
    toggle: (path) => (open().has(path) ? close(path) : add([path])),
    reveal: (path) => add(parentsOf(path)),
    readAll,
  };
}

/** Runs at most `READS_AT_ONCE_MAX` reads of different paths, in the order of their requests. A later read of a path replaces the earlier one. */
function createReads(fetchLevel: (path: string, isLatest: () => boolean) => Promise<void>) {
  const waiting = new Set<string>();
  const reading = new Map<string, symbol>();
  onCleanup(() => waiting.clear());
  const start = async (path: string) => {
    const turn = Symbol(path);
    reading.set(path, turn);
    const isLatest = () => reading.get(path) === turn;
    await fetchLevel(path, isLatest);
    if (!isLatest()) return;
    reading.delete(path);
    startWaiting();
  };
  const startWaiting = () => {
    for (const path of waiting) {
      if (reading.size >= READS_AT_ONCE_MAX && !reading.has(path)) continue;
      waiting.delete(path);
      void start(path);
    }
  };
  return {
    read: (path: string) => {
      waiting.add(path);
      startWaiting();
    },
    isPending: (path: string) => waiting.has(path) || reading.has(path),
  };
}

/** Directories first, each kind by name. */
function inOrder(a: FileEntry, b: FileEntry): number {
  const directories = Number(b.kind === "directory") - Number(a.kind === "directory");
  return directories || compareNames(a.name, b.name);
}

function without(levels: Levels, path: string): Levels {
  return new Map([...levels].filter(([one]) => one !== path));
}
