// The suggestions of the composer's completion, in their order. Pure.

import type { FileEntry } from "../../../src/service/files/schema.ts";

export interface Suggestion {
  readonly kind: "agent" | "file" | "directory" | "starter";
  readonly name: string;
  /** Of a starter: its instruction. */
  readonly id?: number;
}

/** More are counted, not listed. */
export const SUGGESTIONS_SHOWN_MAX = 50;

export interface Suggested {
  readonly shown: readonly Suggestion[];
  readonly total: number;
}

/** Entries of the directory that the query names come first; below that, names that begin with the query. */
export function suggestReferences(
  query: string,
  agents: readonly string[],
  files: readonly FileEntry[],
): Suggested {
  const all: Suggestion[] = [
    ...agents.map((name) => ({ kind: "agent" as const, name })),
    ...files
      .filter(({ kind }) => kind !== "other")
      .map(({ kind, path }) => ({ kind: kind === "directory" ? kind : ("file" as const), name: path })),
  ];
  return best(query, all);
}

export function suggestStarters(
  query: string,
  instructions: readonly { readonly id: number; readonly name: string }[],
): Suggested {
  return best(
    query,
    instructions.map(({ id, name }) => ({ kind: "starter" as const, name, id })),
  );
}

function best(query: string, all: readonly Suggestion[]): Suggested {
  const wanted = query.toLocaleLowerCase();
  const ranked = all
    .map((suggestion) => ({ suggestion, rank: rankOf(suggestion.name.toLocaleLowerCase(), wanted) }))
    .filter(({ rank }) => rank < NO_MATCH)
    // Stable, so equals keep the order of their lists.
    .sort((a, b) => a.rank - b.rank);
  return {
    shown: ranked.slice(0, SUGGESTIONS_SHOWN_MAX).map(({ suggestion }) => suggestion),
    total: ranked.length,
  };
}

const NO_MATCH = 5;

function rankOf(name: string, query: string): number {
  const depth = name.slice(query.length).replace(/^\//, "").includes("/") ? 1 : 0;
  if (name.startsWith(query)) return depth;
  const base = name.slice(name.lastIndexOf("/") + 1);
  if (base.startsWith(query)) return 2;
  if (base.includes(query)) return 3;
  return name.includes(query) ? 4 : NO_MATCH;
}
