// Joins pages of a list, newest first, of which the newest is read again and again.

/**
 * Returns the page, followed by the known items that it no longer holds. Both are of the same list, and newer items have higher numbers. Returns
 * the page alone if others may be missing between the two.
 */
export function joined<T>(
  page: readonly T[],
  known: readonly T[],
  numberOf: (item: T) => number,
): readonly T[] {
  const [last, newest] = [page.at(-1), known[0]];
  if (last === undefined || newest === undefined || numberOf(last) > numberOf(newest)) return page;
  return [...page, ...known.filter((item) => numberOf(item) < numberOf(last))];
}
