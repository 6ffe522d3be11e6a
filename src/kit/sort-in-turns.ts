// Sorts long lists with pauses, so that a server answers others meanwhile: sorts portions, then merges them.

import { turnOfOthers } from "./clock.ts";

type IsBefore<T> = (one: T, other: T) => boolean;

/** The items of a portion, and of a merge between two pauses: a few milliseconds of work. */
const ITEMS_AT_ONCE = 8_192;

/** Returns a sorted copy. Stable. */
export async function sortedInTurns<T>(items: readonly T[], isBefore: IsBefore<T>): Promise<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += ITEMS_AT_ONCE) {
    if (from > 0) await turnOfOthers();
    const compare = (one: T, other: T) => (isBefore(one, other) ? -1 : Number(isBefore(other, one)));
    runs.push(items.slice(from, from + ITEMS_AT_ONCE).sort(compare));
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
