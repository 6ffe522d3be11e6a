// One way to say what a refusal must be, over HTTP and within a program:
// `await refusal(ann.post("/teams", { name: "x" }), "forbidden", "only an admin may do that")`.

import { expect } from "bun:test";
import { AppError, statusOf, type ErrorCode } from "../../../src/kit/error.ts";
import { Refused, proven, refusalIn, type Refusal } from "./client.ts";

/** A request, an answer as it came, or a call of the product's own code. */
type Attempt = Promise<unknown> | Response | (() => unknown);

/**
 * Expects a refusal with this code and the status that belongs to it. With a message, the whole refusal is compared, so that there may be no
 * details but those given.
 */
export async function refusal(
  attempt: Attempt,
  code: ErrorCode,
  message?: string | RegExp,
  details?: object,
): Promise<void> {
  const found = await refusalOf(attempt);
  const short = { status: statusOf[code], code };
  if (message === undefined) return void expect(found).toMatchObject(short);
  const text = typeof message === "string" ? message : expect.stringMatching(message);
  expect<unknown>(withoutSaid(found, details)).toEqual({
    ...short,
    message: text,
    ...(details && { details }),
  });
}

/** Without the problem of a document, unless it is expected: the message, which is compared, ends with the path and the problem. */
function withoutSaid(found: Refusal, expected: object = {}): Refusal {
  const { path, problem, ...rest } = found.details ?? {};
  if (found.message === `file ${String(path)}: not found`) return bare(found);
  if ("problem" in expected || !found.message.endsWith(`${String(path)}: ${String(problem)}`)) return found;
  return { ...found, details: { path, ...rest } };
}

function bare({ status, code, message }: Refusal): Refusal {
  return { status, code, message };
}

/** The refusal itself, for lists of them. */
export async function refusalOf(attempt: Attempt): Promise<Refusal> {
  let given: unknown;
  try {
    given = await (typeof attempt === "function" ? attempt() : attempt);
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    if (!(error instanceof AppError)) throw error;
    const { code, message, details } = error;
    return proven({ status: statusOf[code], code, message, ...(details && { details }) });
  }
  if (!(given instanceof Response)) throw new Error(`it was not refused: ${JSON.stringify(given)}`);
  const text = await given.text();
  if (given.ok) throw new Error(`it was not refused: ${given.status} ${text}`);
  return refusalIn(given.status, text);
}

/** The same as `code: message`, for tables. */
export async function refusalText(attempt: Attempt): Promise<string> {
  const { code, message } = await refusalOf(attempt);
  return `${code}: ${message}`;
}
