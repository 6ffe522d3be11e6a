// The rows of a tree of files, from the directories that are known and those that are open. Pure.

export interface TreeEntry {
  readonly name: string;
  readonly path: string;
  /** `other`: shown, and cannot be opened. */
  readonly kind: "directory" | "file" | "other";
}

export interface TreeRow<T extends TreeEntry = TreeEntry> {
  readonly entry: T;
  /** From 1. */
  readonly level: number;
  /** From 1, among the `of` entries of its directory. */
  readonly position: number;
  readonly of: number;
}

/** By directory; the root is the empty path. */
export type Levels<T extends TreeEntry = TreeEntry> = ReadonlyMap<string, readonly T[]>;

export function rowsOf<T extends TreeEntry>(
  levels: Levels<T>,
  open: ReadonlySet<string>,
): readonly TreeRow<T>[] {
  const rows: TreeRow<T>[] = [];
  const walk = (directory: string, level: number) => {
    const entries = levels.get(directory) ?? [];
    entries.forEach((entry, index) => {
      rows.push({ entry, level, position: index + 1, of: entries.length });
      if (entry.kind === "directory" && open.has(entry.path)) walk(entry.path, level + 1);
    });
  };
  walk("", 1);
  return rows;
}

/** `a/b/c.txt` → `a`, `a/b`. */
export function parentsOf(path: string): string[] {
  const segments = path.split("/").slice(0, -1);
  return segments.map((_, index) => segments.slice(0, index + 1).join("/"));
}

/** The directory to refetch when this file was saved: its own, or the nearest known parent. */
export function directoryToRead(path: string, levels: Levels): string {
  return parentsOf(path).findLast((parent) => levels.has(parent)) ?? "";
}

/** The next row whose name starts with this letter, wrapping at the end. */
export function jump(rows: readonly TreeRow[], from: number, letter: string): number {
  const wanted = letter.toLowerCase();
  for (let step = 1; step <= rows.length; step++) {
    const index = (from + step) % rows.length;
    if (rows[index]!.entry.name.toLowerCase().startsWith(wanted)) return index;
  }
  return from;
}

/** The effect of a key on a row: move to another row, or toggle it. Undefined for other keys. */
export function move(
  key: string,
  rows: readonly TreeRow[],
  from: number,
  open: ReadonlySet<string>,
): { readonly to: number } | "toggle" | undefined {
  const row = rows[from];
  if (!row) return undefined;
  const directory = row.entry.kind === "directory";
  const isOpen = directory && open.has(row.entry.path);
  switch (key) {
    case "ArrowDown":
      return { to: Math.min(from + 1, rows.length - 1) };
    case "ArrowUp":
      return { to: Math.max(from - 1, 0) };
    case "Home":
      return { to: 0 };
    case "End":
      return { to: rows.length - 1 };
    case "ArrowRight":
      if (!directory) return { to: from };
      return isOpen ? { to: rows[from + 1]?.level === row.level + 1 ? from + 1 : from } : "toggle";
    case "ArrowLeft": {
      if (isOpen) return "toggle";
      const parent = rows.slice(0, from).findLastIndex(({ level }) => level < row.level);
      return { to: parent < 0 ? from : parent };
    }
    default:
      return key.length === 1 && key !== " " ? { to: jump(rows, from, key) } : undefined;
  }
}
