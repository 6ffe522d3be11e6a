// Makes what a page may never need at its first use. Formatters above all: the first one of a kind reads the browser's data of all locales, which
// takes milliseconds of every start.

export function onDemand<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
