// Filters long lists with pauses, so that a server answers others meanwhile.

import { LIGHT_STEPS, Stretch, turnOfOthers } from "../clock.ts";

/** Returns the first `max` items that pass, in order. Judging one may take half a millisecond: a caller may have a thousand rules. */
export async function filteredInTurns<T>(
  items: Iterable<T>,
  passes: (item: T) => boolean,
  max = Infinity,
): Promise<T[]> {
  const found: T[] = [];
  const stretch = new Stretch(LIGHT_STEPS);
  for (const item of items) {
    if (found.length >= max) break;
    if (passes(item)) found.push(item);
    if (stretch.isOver()) await turnOfOthers();
  }
  return found;
}
