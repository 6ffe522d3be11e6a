// Waits for something that has no limit of its own. Without one, a test that waits in vain ends its whole file, and says nothing.

import { WAIT_LIMIT_MS } from "./wait-limit.ts";

/** Resolves with what the promise does. Raises an error that names `what` if that takes longer than tests wait. */
export async function within<T>(
  what: string | (() => string),
  promise: Promise<T>,
  limitMs = WAIT_LIMIT_MS,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  // Made here, because the stack of a timer does not say who waits.
  const error = new Error();
  const timer = setTimeout(() => {
    error.message = `not within ${limitMs} ms: ${typeof what === "string" ? what : what()}`;
    late.reject(error);
  }, limitMs);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
