// Errors about manual edits that a change records first: they name the cause, because the caller did not write that content.

import { AppError } from "../../kit/error.ts";

/** Manual edits in the working tree need no rights here, since the disk allowed them, but limits and the scan apply. */
export function ofEdits<T extends Promise<void> | void>(judge: () => T): T {
  const explain = (error: unknown): never => {
    if (!(error instanceof AppError)) throw error;
    const what = "the working tree has a manual edit that must be recorded first";
    throw new AppError(error.code, `${what}: ${error.message}`, error.details);
  };
  try {
    const judged = judge();
    return judged instanceof Promise ? (judged.catch(explain) as T) : judged;
  } catch (error) {
    return explain(error);
  }
}
