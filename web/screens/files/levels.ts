// The directories of a workspace, read one level at a time as they are opened, and again when a file in them is saved. The latest request
// wins, in whatever order responses arrive.

import { type Accessor, createEffect, createSignal, on, onCleanup } from "solid-js";
import type { FileEntry } from "../../../src/service/files/schema.ts";
import { api, take } from "../../api/client.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import { createProblem, onReachedAgain } from "../../api/reach.ts";
import { compareNames } from "../../kit/names.ts";
import type { WorkspaceState } from "../../state/workspace-state.ts";
import { directoryToRead, type Levels as TreeLevels, parentsOf } from "../../parts/tree/tree-rows.ts";

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
  const asked = new Map<string, number>();

  const close = (path: string) =>
    setOpen((before) => new Set([...before].filter((one) => one !== path && !one.startsWith(`${path}/`))));
  const read = async (path: string) => {
    const turn = (asked.get(path) ?? 0) + 1;
    asked.set(path, turn);
    try {
      const query = path === "" ? {} : { path };
      const entries = (await take(api.workspaces({ id: workspaceId }).files.get({ query }))).toSorted(
        inOrder,
      );
      if (asked.get(path) !== turn) return;
      setLevels((before) => new Map(before).set(path, entries));
      setProblem(undefined);
      // An open directory that was created only now.
      for (const entry of entries) {
        if (entry.kind === "directory" && open().has(entry.path) && !levels().has(entry.path))
          void read(entry.path);
      }
    } catch (error) {
      if (asked.get(path) !== turn) return;
      const why = asProblem(error);
      // A missing directory: its parent will show when it exists.
      if (why.code === "not_found" && path !== "") setLevels((before) => without(before, path));
      else setProblem(why);
    }
  };
  const readAll = () => {
    for (const path of ["", ...open()]) void read(path);
  };
  onCleanup(onReachedAgain(readAll));
  const add = (paths: readonly string[]) => {
    const missing = paths.filter((path) => !open().has(path));
    if (missing.length === 0) return;
    setOpen((before) => new Set([...before, ...missing]));
    for (const path of missing) void read(path);
  };

  let before: WorkspaceState["savedFiles"] = savedFiles();
  createEffect(
    on(savedFiles, (now) => {
      const changed = [...now].filter(([path, { version }]) => before.get(path)?.version !== version);
      before = now;
      const concerned = new Set(changed.map(([path]) => directoryToRead(path, levels())));
      for (const directory of concerned) void read(directory);
    }),
  );
  void read("");
  return {
    levels,
    open,
    problem,
    toggle: (path) => (open().has(path) ? close(path) : add([path])),
    reveal: (path) => add(parentsOf(path)),
    readAll,
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
