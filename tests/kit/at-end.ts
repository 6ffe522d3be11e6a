// Ends a thing that cannot be named in `await using` itself: `await using _ = atEnd(() => server.stop("test is over"));`

/** Does this when the block ends, however it ends. */
export function atEnd(work: () => unknown): AsyncDisposable {
  return { [Symbol.asyncDispose]: async () => void (await work()) };
}
