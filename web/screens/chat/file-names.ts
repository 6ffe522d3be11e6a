// Names of a workspace's files for the completion: the upper levels, read once in the background, and any directory that is typed. Nothing
// reads all of a large tree: a file far down is found by typing the way to it.

import { type Accessor, createSignal, onCleanup } from "solid-js";
import type { FileEntry } from "../../../src/service/files/schema.ts";
import { api, take } from "../../api/client.ts";

const DIRECTORIES_READ_MAX = 40;
const NAMES_MAX = 20_000;

interface FileNames {
  readonly entries: Accessor<readonly FileEntry[]>;
  /** Reads this directory if it is not known yet. */
  readonly want: (directory: string) => void;
}

/** Lives as long as the component that creates it. */
export function createFileNames(workspaceId: number): FileNames {
  const [entries, setEntries] = createSignal<readonly FileEntry[]>([]);
  const asked = new Set<string>();
  const directories = new Set<string>();
  const end = new AbortController();
  onCleanup(() => end.abort());
  /** Undefined: it could not be read. */
  const read = async (directory: string): Promise<readonly FileEntry[] | undefined> => {
    asked.add(directory);
    try {
      const query = directory === "" ? {} : { path: directory };
      const found = await take(api.workspaces({ id: workspaceId }).files.get({ query }));
      for (const { kind, path } of found) if (kind === "directory") directories.add(path);
      if (!end.signal.aborted) setEntries((before) => [...before, ...found].slice(0, NAMES_MAX));
      return found;
    } catch {
      // A lost connection shows elsewhere, and the next word asks again.
      asked.delete(directory);
      return undefined;
    }
  };
  const readUpperLevels = async () => {
    const waiting = [""];
    for (let count = 0; count < DIRECTORIES_READ_MAX && waiting.length > 0 && !end.signal.aborted; count++) {
      const directory = waiting.shift()!;
      if (asked.has(directory)) continue;
      const found = (await read(directory)) ?? [];
      if (entries().length >= NAMES_MAX) return;
      waiting.push(...found.filter(isWorthReading).map(({ path }) => path));
    }
  };
  /** Reads level by level, so that nothing is asked about a directory that does not exist. */
  const want = async (directory: string) => {
    let at = "";
    for (const name of directory === "" ? [] : directory.split("/")) {
      at = at === "" ? name : `${at}/${name}`;
      if (end.signal.aborted || !directories.has(at)) return;
      if (!asked.has(at) && (await read(at)) === undefined) return;
    }
  };
  void readUpperLevels();
  return { entries, want: (directory) => void want(directory) };
}

/** Hidden directories and installed packages are found by typing the way to them. */
function isWorthReading({ kind, name }: FileEntry): boolean {
  return kind === "directory" && !name.startsWith(".") && name !== "node_modules";
}
