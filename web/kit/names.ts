// The order of names in every list: natural, so that 2 comes before 10, without regard to case, and the same for every reader. The server orders
// by code points, which its pages need.

import { onDemand } from "./on-demand.ts";

const collator = onDemand(() => new Intl.Collator("en", { numeric: true, sensitivity: "base" }));

export function compareNames(a: string, b: string): number {
  return collator().compare(a, b);
}

export function byName<T>(list: readonly T[], nameOf: (one: T) => string): T[] {
  return list.toSorted((a, b) => compareNames(nameOf(a), nameOf(b)));
}
