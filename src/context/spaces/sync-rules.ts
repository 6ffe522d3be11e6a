// The sync rules of a space, in canonical form and filtered for a caller: the prefixes reveal names of directories.

import { Stretch, turnOfOthers } from "../../kit/clock.ts";
import { compare } from "../../kit/compare.ts";
import { AppError } from "../../kit/error.ts";
import { parseDocumentPath, type DocumentPath } from "../../kit/text/paths.ts";
import type { Caller } from "../identity/caller.ts";
import { SYNC_RULES_MAX, type SyncRules } from "./schema.ts";
import type { OpenSpace } from "./open-space.ts";

/** Sorted by prefix. Raises `invalid`. */
export function canonicalRules(rules: SyncRules): SyncRules {
  if (Object.keys(rules).length > SYNC_RULES_MAX)
    throw new AppError("invalid", `rules: at most ${SYNC_RULES_MAX}`);
  const canonical: Record<string, SyncRules[string]> = {};
  for (const [prefix, mode] of Object.entries(rules))
    canonical[prefix.endsWith("/") ? `${pathOf(prefix)}/` : pathOf(prefix)] = mode;
  return Object.fromEntries(Object.entries(canonical).sort(([a], [b]) => compare(a, b)));
}

/** Leads see all rules, because they replace all. Others see the rules for places where they may list something. */
export async function visibleRules(caller: Caller, { name, engine, file }: OpenSpace): Promise<SyncRules> {
  const { rights } = caller;
  if (rights.has("lead", name)) return file.sync;
  const visible: Record<string, SyncRules[string]> = {};
  const stretch = new Stretch();
  for (const [prefix, mode] of Object.entries(file.sync)) {
    const path = pathOf(prefix);
    // The rule may name a single file.
    const isFile = rights.may("list", name, path) && (await engine.live(path)) !== undefined;
    if (isFile || rights.mayListBelow(name, path)) visible[prefix] = mode;
    if (stretch.isOver()) await turnOfOthers();
  }
  return visible;
}

function pathOf(prefix: string): DocumentPath {
  return parseDocumentPath("prefix", prefix.replace(/\/$/, ""));
}
