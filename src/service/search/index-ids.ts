// The ids of the index. One number holds kind, subject and piece of a text, so that the kind is a range of ids, the newest entry has the highest id
// of its range, and no table maps one to the other. The migrations know the same numbers.

import { PIECES_MAX, searchKinds, type SearchKind } from "./schema.ts";

const KIND_SIZE = 2 ** 48;

export interface Subject {
  readonly kind: SearchKind;
  /** Of the entry, gear, …, or the row of a file. */
  readonly id: number;
}

/** Of its first piece. */
export function itemOf({ kind, id }: Subject): number {
  return searchKinds.indexOf(kind) * KIND_SIZE + id * PIECES_MAX;
}

export function subjectOf(item: number): Subject {
  const kind = searchKinds[Math.floor(item / KIND_SIZE)]!;
  return { kind, id: Math.floor((item % KIND_SIZE) / PIECES_MAX) };
}

/** The ids of a kind: `[first, last]`. */
export function rangeOf(kind: SearchKind): readonly [number, number] {
  const first = searchKinds.indexOf(kind) * KIND_SIZE;
  return [first, first + KIND_SIZE - 1];
}
