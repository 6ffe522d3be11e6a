// Finds documents by the words of their paths. Pure.

const SHOWN_MAX = 20;

interface Matches {
  readonly shown: readonly string[];
  /** Matches that are not shown. */
  readonly more: number;
}

/** Every word must occur in the path. Names that begin with the first word come first, then shorter paths. */
export function matchesOf(paths: readonly string[], search: string): Matches {
  const words = search.toLowerCase().split(/\s+/u).filter(Boolean);
  const first = words[0] ?? "";
  const found = paths
    .map((path) => ({ path, folded: path.toLowerCase() }))
    .filter(({ folded }) => words.every((word) => folded.includes(word)))
    .map(({ path, folded }) => {
      const begins = folded.slice(folded.lastIndexOf("/") + 1).startsWith(first);
      return { path, rank: begins ? 0 : 1 };
    })
    .sort((a, b) => a.rank - b.rank || a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
  const shown = found.slice(0, SHOWN_MAX).map(({ path }) => path);
  return { shown, more: found.length - shown.length };
}
