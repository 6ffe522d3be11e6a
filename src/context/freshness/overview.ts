// Sorts, filters and counts the documents of a freshness answer for a page: any number of them, without holding up others.

import { Stretch, timeOf, turnOfOthers } from "../../kit/clock.ts";
import type { Freshness, FreshnessAnswer } from "./schema.ts";

/** A person plans that far ahead. */
export const SOON_DAYS = 14;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Above every time, in minutes. */
const NEVER = 2 ** 33 - 1;
/** A key is a time in minutes and a place in the list, which comes sorted by path. Together they fit into a number exactly. */
const PLACES_MAX = 2 ** 20;
/** Sorting as many keys takes a millisecond. */
const CHUNK = 8_192;

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

/** What a person has to do something about comes first: problems, then by the time when a document becomes stale. */
export async function overviewOf(
  { now, documents }: FreshnessAnswer,
  { group, text, order, offset, limit }: FreshnessWish,
): Promise<FreshnessOverview> {
  const counts = { unclear: 0, stale: 0, soon: 0, fresh: 0 };
  const at = timeOf(now)!;
  const wanted = text.toLowerCase();
  const keys: number[] = [];
  const stretch = new Stretch();
  for (const [place, document] of documents.entries()) {
    const own = groupOf(document, at);
    counts[own] += 1;
    if ((group === undefined || own === group) && matches(document, wanted) && place < PLACES_MAX)
      keys.push(keyOf(document, own, order) * PLACES_MAX + place);
    if (stretch.isOver()) await turnOfOthers();
  }
  const places = await inOrder(keys, offset, limit);
  return {
    counts,
    matching: keys.length,
    documents: places.map((key) => {
      const document = documents[key % PLACES_MAX]!;
      return { ...document, group: groupOf(document, at) };
    }),
  };
}

function groupOf({ state, due }: Freshness, now: number): FreshnessGroup {
  if (state === "unknown") return "unclear";
  if (state === "stale") return "stale";
  return due !== null && timeOf(due)! - now <= SOON_DAYS * DAY_MS ? "soon" : "fresh";
}

function matches({ path, owner }: Freshness, text: string): boolean {
  return text === "" || path.toLowerCase().includes(text) || owner?.toLowerCase().includes(text) === true;
}

/** In minutes. */
function keyOf(
  { due, last_validated, written }: Freshness,
  group: FreshnessGroup,
  order: FreshnessOrder,
): number {
  if (order === "path") return 0;
  if (order === "due" && group === "unclear") return 0;
  const time = order === "due" ? due : (last_validated ?? written);
  if (time === null) return NEVER;
  return Math.min(Math.max(0, Math.floor((timeOf(time) ?? 0) / MINUTE_MS)), NEVER);
}

/** Returns a part of the sorted keys: sorts them in chunks, then merges as far as the part. Pauses. */
async function inOrder(keys: readonly number[], offset: number, limit: number): Promise<number[]> {
  const chunks: Float64Array[] = [];
  for (let begin = 0; begin < keys.length; begin += CHUNK) {
    chunks.push(Float64Array.from(keys.slice(begin, begin + CHUNK)).sort());
    await turnOfOthers();
  }
  const heads = chunks.map(() => 0);
  const part: number[] = [];
  const stretch = new Stretch();
  for (let place = 0; place < Math.min(offset + limit, keys.length); place += 1) {
    let least = -1;
    for (const [index, chunk] of chunks.entries())
      if (
        heads[index]! < chunk.length &&
        (least < 0 || chunk[heads[index]!]! < chunks[least]![heads[least]!]!)
      )
        least = index;
    if (place >= offset) part.push(chunks[least]![heads[least]!]!);
    heads[least]! += 1;
    if (stretch.isOver()) await turnOfOthers();
  }
  return part;
}
