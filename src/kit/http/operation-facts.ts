// Which errors an operation can answer: most follow from what its route declares, so that no list can fall behind.

import { statusOf, type ErrorCode } from "../error.ts";
import type { SchemaModules } from "./components.ts";

/** By method and route, without the prefix: a summary, verb first, and the errors that no declaration tells. */
export type Operations = Readonly<Record<string, readonly [summary: string, ...raises: ErrorCode[]]>>;

export interface ApiFacts {
  readonly prefix: string;
  readonly operations: Operations;
  /** The features' schemas: each that is exported has a name in the description. */
  readonly schemas: SchemaModules;
  /** Requests of known callers are counted, and refused beyond a number. */
  readonly isCounted: boolean;
  /** Of bodies that may be larger or must be smaller than JSON usually may, by method and route. */
  readonly bodyBytesMax: ReadonlyMap<string, number>;
}

interface Declared {
  /** `open`, `any`, `admin`, … */
  readonly caller: string | undefined;
  readonly hasParams: boolean;
  readonly hasBody: boolean;
}

/** Of the guard, of every strict reading of a request, and of a server that stops or whose storage fails. */
const ALWAYS: readonly ErrorCode[] = ["invalid", "misdirected", "unavailable"];
const OF_BODY: readonly ErrorCode[] = ["slow_body", "too_large"];

/** Status → its codes, both sorted. */
export function errorsOf(
  { caller, hasParams, hasBody }: Declared,
  own: readonly ErrorCode[],
  isCounted: boolean,
): ReadonlyMap<number, readonly ErrorCode[]> {
  const codes = new Set<ErrorCode>([...ALWAYS, ...own]);
  if (caller !== "open") codes.add("unauthenticated");
  if (caller !== "open" && isCounted) codes.add("rate_limited");
  // Others are asked for a right: the role, or one of the record in the address.
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
