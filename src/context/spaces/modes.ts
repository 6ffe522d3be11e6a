// Which paths travel. The longest prefix that matches decides, in both directions alike; `always` when none does.

import { foldedPath } from "../../kit/paths.ts";
import type { SyncMode, SyncRules } from "./schema.ts";

const STRICTNESS: Readonly<Record<SyncMode, number>> = { always: 0, "init-only": 1, never: 2 };

/** Of the rules as they are now: they are replaced, never changed. */
const compiled = new WeakMap<SyncRules, ReadonlyMap<string, SyncMode>>();

/**
 * `prefix` without its slash names the directory itself. Names that some disks take for one are one; of two rules for the same directory
 * the stricter counts, so that their order never matters.
 */
export function modeOf(rules: SyncRules, path: string): SyncMode {
  const modes = compiled.get(rules) ?? compile(rules);
  for (let at = foldedPath(path); at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) {
    const mode = modes.get(at);
    if (mode !== undefined) return mode;
  }
  return "always";
}

function compile(rules: SyncRules): ReadonlyMap<string, SyncMode> {
  const modes = new Map<string, SyncMode>();
  for (const [prefix, mode] of Object.entries(rules)) {
    const directory = foldedPath(prefix.replace(/\/$/, ""));
    if (STRICTNESS[mode] >= STRICTNESS[modes.get(directory) ?? "always"]) modes.set(directory, mode);
  }
  compiled.set(rules, modes);
  return modes;
}

/** May a copy send this path up? What is `init-only` was seeded and stays with its owner. */
export function travelsUp(rules: SyncRules, path: string): boolean {
  return modeOf(rules, path) === "always";
}

/** Does a copy get this path? What is `init-only` comes once, when it joins. */
export function travelsDown(rules: SyncRules, path: string): boolean {
  return modeOf(rules, path) !== "never";
}
