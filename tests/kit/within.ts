// Waits for something that has no limit of its own. Without one, a test that waits in vain ends its whole file, and says nothing.

import { WAIT_LIMIT_MS } from "./wait-limit.ts";

/** Resolves with what the promise does. Raises an error that names `what` if that takes longer than tests wait. */
export async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  // Made here, because the stack of a timer does not say who waits.
  const error = new Error(`not within ${WAIT_LIMIT_MS} ms: ${what}`);
  const timer = setTimeout(() => late.reject(error), WAIT_LIMIT_MS);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
