// Why a form was refused, for the page that shows it again: the sentence, the field that it is about, and the status of the answer.

import { AppError } from "../../kit/error.ts";

export interface Failure {
  readonly status: number;
  readonly code: string;
  /** For the field itself: the problem without the name of the field. */
  readonly text: string;
  /** As a whole sentence. */
  readonly sentence: string;
  readonly field: string | undefined;
  readonly details: AppError["details"];
}

/** `field`: the one that an error without a field of its own is about. Raises whatever is no refusal of the form. */
export function failureOf(error: unknown, field?: string): Failure {
  if (!(error instanceof AppError) || PAGES.has(error.code)) throw error;
  return failureAt(error, field);
}

/** The same for an error that is known to be about the form. */
export function failureAt(error: AppError, field?: string): Failure {
  const { details } = error;
  const named = typeof details?.["field"] === "string" ? details["field"] : field;
  const problem = typeof details?.["problem"] === "string" ? details["problem"] : undefined;
  return {
    status: error.status,
    code: error.code,
    text: problem ?? error.message,
    sentence: error.message,
    field: named,
    details,
  };
}

/** These are answered by a page of their own, not by the form. */
const PAGES: ReadonlySet<AppError["code"]> = new Set([
  "unauthenticated",
  "not_found",
  "forbidden",
  "internal",
]);
