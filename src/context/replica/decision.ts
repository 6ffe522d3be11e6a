// Decides what a sync cycle does with one path. Pure: the same facts give the same action, in any order of paths and rules.
//
// Each side is compared with the content that both had last (the base). A side that equals the base did not change. Content is compared by hash, so
// a crash between an action and its record is harmless: the next cycle finds both sides equal.

import type { SyncMode } from "../spaces/schema.ts";
import type { Fresh } from "./schema.ts";

export interface Facts {
  readonly mode: SyncMode;
  /** The hash of the server's live version; null: none. */
  readonly server: string | null;
  /** The hash of the local live version; null: none. */
  readonly local: string | null;
  /** The hash of the last content that both had; null: none. */
  readonly base: string | null;
  /** The hash in a push without an answer; empty: a delete; null: there is none. */
  readonly sent: string | null;
  readonly fresh: Fresh | null;
  /** For `restored`, when both sides have different contents. */
  readonly lineage: Lineage;
}

/**
 * How a restored server's content relates to the copy: `common`: its history contains the last common content, so both continue from there;
 * `earlier`: it is a local version from before the last common content, so the local one is newer; `unknown`: neither side may replace the other.
 */
export type Lineage = "common" | "earlier" | "unknown";

/**
 * `agree`: both sides are equal; record it. `take`: write the server's content locally. `remove`: delete locally. `send`: push the local content.
 * `withdraw`: delete on the server. `merge`: both changed. `keep`: the path is not compared again.
 */
export type Action = "none" | "agree" | "take" | "remove" | "send" | "withdraw" | "merge" | "keep";

export function decide(facts: Facts): Action {
  const { mode, server, local, fresh, lineage } = facts;
  if (mode === "never") return "none";
  if (mode === "init-only") return seeding(facts);
  const base = isOurPush(facts) ? server : facts.base;
  if (local === server) return base === local && facts.base === base && fresh === null ? "none" : "agree";
  if (fresh !== null && local !== null && server === null) return "send";
  if (fresh !== null && local === null && server !== null) return "take";
  if (fresh === "restored" && local !== null && lineage !== "common")
    return lineage === "earlier" ? "send" : "merge";
  // An edit wins over a delete, because a delete can be repeated.
  if (local === base) return server === null ? "remove" : "take";
  if (server === base) return local === null ? "withdraw" : "send";
  if (local === null) return "take";
  return server === null ? "send" : "merge";
}

/** A path that is seeded once arrives when the copy joins, unless the person has such a file already. */
function seeding({ fresh, local, server }: Facts): Action {
  if (fresh !== "joined") return "none";
  return local === null && server !== null ? "take" : "keep";
}

/** Reports whether the server accepted a push whose answer was lost. */
function isOurPush({ sent, server }: Facts): boolean {
  return sent !== null && sent === (server ?? "");
}

/** More deletes than both limits in one cycle need a person's consent. */
export const DELETES_ASKED_FROM = 10;
const DELETES_SHARE = 0.2;

/** Counts the contents that leave a side and do not arrive there under another name: a file that moves is no delete. Both: hashes. */
export function countDeletes(leaving: readonly string[], arriving: readonly string[]): number {
  const left = new Map<string, number>();
  for (const hash of arriving) left.set(hash, (left.get(hash) ?? 0) + 1);
  let deletes = 0;
  for (const hash of leaving) {
    const moved = left.get(hash) ?? 0;
    if (moved === 0) deletes += 1;
    else left.set(hash, moved - 1);
  }
  return deletes;
}

/** `files`: the number of synced files before the cycle. */
export function needsConsent(deletes: number, files: number): boolean {
  return deletes > DELETES_ASKED_FROM && deletes > files * DELETES_SHARE;
}
