// Decides which paths sync. The longest matching prefix applies to both directions; the default is `always`.

import { foldedPath } from "../../kit/paths.ts";
import type { SyncMode, SyncRules } from "./schema.ts";

const STRICTNESS: Readonly<Record<SyncMode, number>> = { always: 0, "init-only": 1, never: 2 };

/** Caches compiled rules. Rules objects are replaced, never mutated. */
const compiled = new WeakMap<SyncRules, ReadonlyMap<string, SyncMode>>();

/**
 * A prefix without a trailing slash also matches the directory itself. Names that are equal on some file systems are equal here. Of two rules for
 * the same directory the stricter applies, so order never matters.
 */
export function modeOf(rules: SyncRules, path: string): SyncMode {
  const modes = compiled.get(rules) ?? compile(rules);
  if (modes.size === 0) return "always";
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

/** Reports whether clients may push this path. An `init-only` path is seeded and then stays with its owner. */
export function travelsUp(rules: SyncRules, path: string): boolean {
  return modeOf(rules, path) === "always";
}

/** Reports whether clients receive this path. An `init-only` path comes once, when the client joins. */
export function travelsDown(rules: SyncRules, path: string): boolean {
  return modeOf(rules, path) !== "never";
}
