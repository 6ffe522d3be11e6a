// Things that the files of one run of `bun test` share, because a start takes as long as a small test.

let things: AsyncDisposableStack | undefined;

/** For the preload, which disposes of them after the last test of all. */
export function keepThings(): AsyncDisposableStack {
  return (things = new AsyncDisposableStack());
}

/** Undefined outside of a run of tests. */
export function thingsOfRun(): AsyncDisposableStack | undefined {
  return things;
}
