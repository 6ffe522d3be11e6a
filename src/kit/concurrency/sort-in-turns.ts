// Sorts long lists with pauses, so that a server answers others meanwhile: sorts portions, then merges them.

import { turnOfOthers } from "../clock.ts";

type IsBefore<T> = (one: T, other: T) => boolean;

/** The items of a portion, and of a merge between two pauses: a few milliseconds of work. */
const ITEMS_AT_ONCE = 8_192;
/** The runtime compares texts much faster than a function does: about 8 ms of work. */
const TEXTS_AT_ONCE = 50_000;

/** Returns a sorted copy. Stable. */
export async function sortedInTurns<T>(items: readonly T[], isBefore: IsBefore<T>): Promise<T[]> {
  const compare = (one: T, other: T) => (isBefore(one, other) ? -1 : Number(isBefore(other, one)));
  return sortedRuns(items, ITEMS_AT_ONCE, (portion) => portion.sort(compare), isBefore);
}

/** Returns a sorted copy, by UTF-16 units. */
export async function sortedTexts(texts: readonly string[]): Promise<string[]> {
  const sorted = (portion: string[]) => portion.sort();
  return sortedRuns(texts, TEXTS_AT_ONCE, sorted, (one, other) => one < other);
}

async function sortedRuns<T>(
  items: readonly T[],
  atOnce: number,
  sorted: (portion: T[]) => T[],
  isBefore: IsBefore<T>,
): Promise<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += atOnce) {
    if (from > 0) await turnOfOthers();
    runs.push(sorted(items.slice(from, from + atOnce)));
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      const [left, right] = [runs[index]!, runs[index + 1]];
      merged.push(right ? await mergedRuns(left, right, isBefore) : left);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergedRuns<T>(left: readonly T[], right: readonly T[], isBefore: IsBefore<T>): Promise<T[]> {
  const merged: T[] = [];
  let [l, r] = [0, 0];
  while (l < left.length || r < right.length) {
    const takesRight = r < right.length && (l === left.length || isBefore(right[r]!, left[l]!));
    merged.push(takesRight ? right[r++]! : left[l++]!);
    if (merged.length % ITEMS_AT_ONCE === 0) await turnOfOthers();
  }
  return merged;
}
