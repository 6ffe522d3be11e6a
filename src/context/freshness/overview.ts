// Sorts, filters and counts the documents of a freshness answer for a page: any number of them, without holding up others.

import { DAY_MS, Stretch, timeOf, turnOfOthers } from "../../kit/clock.ts";
import { sortedInTurns } from "../../kit/concurrency/sort-in-turns.ts";
import type { Freshness, FreshnessAnswer } from "./schema.ts";

/** A person plans that far ahead. */
export const SOON_DAYS = 14;

export const freshnessGroups = ["unclear", "stale", "soon", "fresh"] as const;
export type FreshnessGroup = (typeof freshnessGroups)[number];
export const freshnessOrders = ["due", "validated", "path"] as const;
export type FreshnessOrder = (typeof freshnessOrders)[number];

export interface FreshnessWish {
  /** Undefined: all. */
  readonly group: FreshnessGroup | undefined;
  /** In the path or the owner, in any letter case. Empty: all. */
  readonly text: string;
  readonly order: FreshnessOrder;
  readonly offset: number;
  readonly limit: number;
}

export interface FreshnessOverview {
  /** Of all documents, whatever is asked for. */
  readonly counts: Readonly<Record<FreshnessGroup, number>>;
  readonly documents: readonly (Freshness & { readonly group: FreshnessGroup })[];
  /** Those that match, on all pages. */
  readonly matching: number;
}

/** Sorts problems first, because a person has to act on them, then by the time when a document becomes stale. */
export async function overviewOf(
  { now, documents }: FreshnessAnswer,
  { group, text, order, offset, limit }: FreshnessWish,
): Promise<FreshnessOverview> {
  const counts = { unclear: 0, stale: 0, soon: 0, fresh: 0 };
  const at = timeOf(now)!;
  const wanted = text.toLowerCase();
  const found: Found[] = [];
  const stretch = new Stretch();
  for (const document of documents) {
    const own = groupOf(document, at);
    counts[own] += 1;
    if ((group === undefined || own === group) && matches(document, wanted))
      found.push({ document, group: own, key: keyOf(document, own, order) });
    if (stretch.isOver()) await turnOfOthers();
  }
  // Those with the same key stay in the order of paths.
  const sorted = order === "path" ? found : await sortedInTurns(found, (one, other) => one.key < other.key);
  const part = sorted.slice(offset, offset + limit);
  return {
    counts,
    matching: found.length,
    documents: part.map(({ document, group: own }) => ({ ...document, group: own })),
  };
}

interface Found {
  readonly document: Freshness;
  readonly group: FreshnessGroup;
  /** RFC 3339, so that the order of texts is the order of times. */
  readonly key: string;
}

function groupOf({ state, due }: Freshness, now: number): FreshnessGroup {
  if (state === "unknown") return "unclear";
  if (state === "stale") return "stale";
  return due !== null && timeOf(due)! - now <= SOON_DAYS * DAY_MS ? "soon" : "fresh";
}

function matches({ path, owner }: Freshness, text: string): boolean {
  return text === "" || path.toLowerCase().includes(text) || owner?.toLowerCase().includes(text) === true;
}

/** After every time. */
const NEVER = "~";

function keyOf(
  { due, last_validated, written }: Freshness,
  group: FreshnessGroup,
  order: FreshnessOrder,
): string {
  if (order === "validated") return last_validated ?? written;
  return group === "unclear" ? "" : (due ?? NEVER);
}
