// Tells a part of the interface that could not be fetched from a defect: Vite announces the errors of its imports before it raises them.

interface PreloadError extends Event {
  readonly payload: Error;
}

const failures = new WeakSet<object>();

addEventListener("vite:preloadError", (event) => failures.add((event as PreloadError).payload));

/** `error` is the rejection of an `import()`, of the module or of its style sheet. */
export function isLoadFailure(error: unknown): error is Error {
  return error instanceof Error && failures.has(error);
}

/** Browsers remember a module that failed, so only a reload fetches it again. A style sheet is simply requested again. */
export function needsReload(error: unknown): boolean {
  return isLoadFailure(error) && error instanceof TypeError;
}
