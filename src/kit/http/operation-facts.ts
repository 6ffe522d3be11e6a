// Derives the errors of an operation, mostly from the declarations of its route, so that no list becomes outdated.

import { statusOf, type ErrorCode } from "../error.ts";
import type { SchemaModules } from "./components.ts";

/** By method and route, without the prefix: a summary with the verb first, and the errors that no declaration implies. */
export type Operations = Readonly<Record<string, readonly [summary: string, ...raises: ErrorCode[]]>>;

export interface ApiFacts {
  readonly prefix: string;
  readonly operations: Operations;
  /** Limits that no schema states, by method and route. */
  readonly limits: Readonly<Record<string, string>>;
  /** The features' schemas; each exported schema has a name in the description. */
  readonly schemas: SchemaModules;
  /** The program limits the request rate of known callers. */
  readonly isCounted: boolean;
  /** Body limits that differ from the default for JSON, by method and route. */
  readonly bodyBytesMax: ReadonlyMap<string, number>;
}

interface Declared {
  /** `open`, `any`, `admin`, … */
  readonly caller: string | undefined;
  readonly hasParams: boolean;
  readonly hasBody: boolean;
}

/** The errors of the guard, of strict parsing, and of a server that is stopping or has a storage failure. */
const ALWAYS: readonly ErrorCode[] = ["invalid", "misdirected", "unavailable"];
const OF_BODY: readonly ErrorCode[] = ["slow_body", "too_large"];

/** Maps each status to its codes, both sorted. */
export function errorsOf(
  { caller, hasParams, hasBody }: Declared,
  own: readonly ErrorCode[],
  isCounted: boolean,
): ReadonlyMap<number, readonly ErrorCode[]> {
  const codes = new Set<ErrorCode>([...ALWAYS, ...own]);
  if (caller !== "open") codes.add("unauthenticated");
  if (caller !== "open" && isCounted) codes.add("rate_limited");
  // Other callers need a right: the role, or a right to the record in the path.
  if (caller !== "open" && caller !== "any") codes.add("forbidden");
  if (hasParams) codes.add("not_found");
  if (hasBody) for (const code of OF_BODY) codes.add(code);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...codes].sort()) {
    const status = statusOf[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}
