// The documents that no rule of freshness covers.

import { LIGHT_STEPS, Stretch, turnOfOthers } from "../../kit/clock.ts";
import type { Freshness } from "./schema.ts";

interface Known {
  readonly paths: readonly string[];
  readonly undeclared: Promise<readonly string[]>;
}

/** Remembers the last answer for each list of documents, which is the same list until a document changes. */
export class Undeclared {
  readonly #known = new WeakMap<readonly Freshness[], Known>();

  /** Of `paths`, those that are not among the documents, in the same order. Pauses. */
  among(paths: readonly string[], documents: readonly Freshness[]): Promise<readonly string[]> {
    const known = this.#known.get(documents);
    if (known?.paths === paths) return known.undeclared;
    const undeclared = without(paths, documents);
    this.#known.set(documents, { paths, undeclared });
    return undeclared;
  }
}

async function without(
  paths: readonly string[],
  documents: readonly Freshness[],
): Promise<readonly string[]> {
  const declared = new Set<string>();
  const found: string[] = [];
  const stretch = new Stretch(LIGHT_STEPS);
  for (const { path } of documents) {
    declared.add(path);
    if (stretch.isOver()) await turnOfOthers();
  }
  for (const path of paths) {
    if (!declared.has(path)) found.push(path);
    if (stretch.isOver()) await turnOfOthers();
  }
  return found;
}
