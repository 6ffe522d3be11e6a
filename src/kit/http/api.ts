// The base of every Elysia instance: strict input, declared output, our error shape, our headers.
//
// `normalize: false` makes an unknown field a refusal instead of dropping it. An answer that does not fit its declared schema is a
// defect (it could leak a field): it is logged and answered 500, never sent.

import { Elysia, ValidationError, type TSchema } from "elysia";
import { AppError, messageOf } from "../error.ts";
import type { Log } from "../log.ts";
import { answerError, answerJson } from "./answer.ts";
import { readJson } from "./body.ts";
import { exchangeOf } from "./exchange.ts";

export function createApi<const Prefix extends string>(log: Log, prefix: Prefix) {
  return new Elysia({ normalize: false, aot: true, prefix })
    .onParse({ as: "global" }, ({ request, contentType }) => parseBody(request, contentType))
    .mapResponse({ as: "global" }, ({ responseValue, set, request }) => {
      if (responseValue instanceof Response) return responseValue;
      return answerJson(exchangeOf(request).id, typeof set.status === "number" ? set.status : 200, responseValue);
    })
    .onError({ as: "global" }, ({ error, code, request }) => {
      const exchange = exchangeOf(request);
      return answerError(exchange.id, appErrorOf(error, code, exchange.path, log), log);
    });
}

function parseBody(request: Request, contentType: string): Promise<unknown> | undefined {
  if (request.body === null) return undefined;
  if (contentType !== "application/json") throw new AppError("invalid", "a body needs Content-Type: application/json");
  return readJson(request);
}

function appErrorOf(error: unknown, code: unknown, path: string, log: Log): unknown {
  if (error instanceof AppError) return error;
  if (code === "NOT_FOUND") return new AppError("not_found", `${path}: no such route`);
  if (error instanceof ValidationError) return validationError(error, log);
  const cause = (error as { cause?: unknown }).cause;
  return cause instanceof AppError ? cause : error;
}

function validationError(error: ValidationError, log: Log): AppError | Error {
  if (error.type === "response") {
    log.error("an answer does not fit its schema", { error: fieldMessage(error) });
    return new Error(`response schema: ${fieldMessage(error)}`);
  }
  return new AppError("invalid", fieldMessage(error));
}

const WHERE: Record<string, string> = { body: "", params: "path parameter ", query: "query parameter ", headers: "header ", cookie: "cookie " };

interface FieldProblem {
  path?: string;
  message?: string;
  schema?: TSchema;
}

/** A sentence that names the field and says what is expected: `name: expected string`. */
function fieldMessage(error: ValidationError): string {
  const problem = firstProblem(error);
  const field = (problem.path ?? "").split("/").filter(Boolean).join(".");
  const where = WHERE[error.type] ?? "";
  const message = (problem.message ?? messageOf(error)).toLowerCase();
  if (field === "") return error.type === "body" ? `body: ${message}` : `${where}${message}`;
  if (message === "unexpected property") return `${where}${field}: unknown field`;
  if (message.includes("required property")) return `${where}${field}: missing`;
  return `${where}${field}: ${message}${allowedValues(problem.schema)}`;
}

function firstProblem(error: ValidationError): FieldProblem {
  try {
    return (error.all[0] as FieldProblem | undefined) ?? {};
  } catch {
    return {};
  }
}

function allowedValues(schema: TSchema | undefined): string {
  const options = (schema?.["anyOf"] as { const?: unknown }[] | undefined)?.map((option) => option.const);
  const values = options?.filter((value) => value !== undefined);
  return values && values.length > 0 ? ` (one of: ${values.join(", ")})` : "";
}
