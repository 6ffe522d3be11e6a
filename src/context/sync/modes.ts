// Which paths travel. The longest prefix that matches decides, in both directions alike; `always` when none does.

import { foldedPath } from "../../kit/paths.ts";
import type { SyncMode, SyncRules } from "../spaces/schema.ts";

const STRICTNESS: Readonly<Record<SyncMode, number>> = { always: 0, "init-only": 1, never: 2 };

/**
 * `prefix` without its slash names the directory itself. Names that some disks take for one are one; of two rules for the same directory
 * the stricter counts, so that their order never matters.
 */
export function modeOf(rules: SyncRules, path: string): SyncMode {
  const folded = foldedPath(path);
  let best = "";
  let mode: SyncMode = "always";
  for (const [prefix, candidate] of Object.entries(rules)) {
    const directory = foldedPath(prefix.replace(/\/$/, ""));
    if (folded !== directory && !folded.startsWith(`${directory}/`)) continue;
    if (directory.length < best.length) continue;
    if (directory.length > best.length || STRICTNESS[candidate] > STRICTNESS[mode]) mode = candidate;
    best = directory;
  }
  return mode;
}

/** May a copy send this path up? What is `init-only` was seeded and stays with its owner. */
export function travelsUp(rules: SyncRules, path: string): boolean {
  return modeOf(rules, path) === "always";
}

/** Does a copy get this path? What is `init-only` comes once, when it joins. */
export function travelsDown(rules: SyncRules, path: string): boolean {
  return modeOf(rules, path) !== "never";
}
