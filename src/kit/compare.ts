// The order of numbers and of texts, for `sort`. Texts by their code units, the same for every reader.

export function compare<T extends number | string>(a: T, b: T): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
