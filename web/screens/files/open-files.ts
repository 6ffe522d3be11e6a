// The open files of a workspace in order, and the current one. Stored in this browser.

import { type Accessor, createSignal } from "solid-js";
import { keep, remember } from "../../kit/storage.ts";

const OPEN_MAX = 12;

interface Kept {
  readonly paths: readonly string[];
  readonly current?: string | undefined;
}

export interface OpenFiles {
  readonly paths: Accessor<readonly string[]>;
  readonly current: Accessor<string | undefined>;
  /** At the limit, the oldest file that may be closed is closed. */
  readonly open: (path: string, mayClose: (path: string) => boolean) => void;
  readonly close: (path: string) => void;
}

export function createOpenFiles(userId: number, workspaceId: number): OpenFiles {
  const name = `files.open.${userId}.${workspaceId}`;
  const before = remember<Kept>(name);
  const [state, setState] = createSignal<Kept>(before ?? { paths: [] });
  const change = (next: Kept) => {
    setState(next);
    keep(name, next);
  };
  return {
    paths: () => state().paths,
    current: () => state().current,
    open: (path, mayClose) => change({ paths: withPath(state().paths, path, mayClose), current: path }),
    close: (path) => {
      const { paths, current } = state();
      change({ paths: paths.filter((one) => one !== path), current: afterClosing(paths, current, path) });
    },
  };
}

/** Pure. */
export function withPath(
  paths: readonly string[],
  path: string,
  mayClose: (path: string) => boolean,
): readonly string[] {
  if (paths.includes(path)) return paths;
  const spare = paths.length >= OPEN_MAX ? paths.find(mayClose) : undefined;
  return [...paths.filter((one) => one !== spare), path];
}

/** The file in front after closing one: the next, else the previous. Pure. */
export function afterClosing(
  paths: readonly string[],
  current: string | undefined,
  closed: string,
): string | undefined {
  if (current !== closed) return current;
  const at = paths.indexOf(closed);
  return paths[at + 1] ?? paths[at - 1];
}

/** Display names for open files, with the parent directory where two names are equal. Pure. */
export function shortNames(
  paths: readonly string[],
): ReadonlyMap<string, { name: string; directory: string }> {
  const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  return new Map(
    paths.map((path) => {
      const name = nameOf(path);
      const alike = paths.filter((one) => nameOf(one) === name).length > 1;
      const parent = path.slice(0, Math.max(0, path.length - name.length - 1));
      return [path, { name, directory: alike ? nameOf(parent) || "/" : "" }];
    }),
  );
}
