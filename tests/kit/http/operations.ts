// The parts of every operation's description: a summary, its limits of a body, and the errors that follow from what the route declares.

import { expect } from "bun:test";
import type { DescribedRoute } from "../../../src/kit/http/openapi.ts";
import type { ApiFacts } from "../../../src/kit/http/operation-facts.ts";

interface Operation {
  readonly summary?: string;
  readonly parameters?: readonly { readonly in?: string; readonly schema?: object }[];
  readonly requestBody?: { readonly "x-bytes-max"?: number; readonly content: object };
  readonly responses: Readonly<Record<string, object>>;
  readonly "x-caller"?: string;
}

/** Verb first, no full stop, short enough for a list. */
const SUMMARY = /^[A-Z][a-z]+ (?!.*\.$).{3,60}$/;

export function expectOperations(
  routes: readonly DescribedRoute[],
  { operations, limits, prefix, isCounted }: ApiFacts,
  document: object,
): void {
  const named = routes.map(({ method, path }) => `${method} ${path.slice(prefix.length)}`);
  expect(Object.keys(operations).toSorted()).toEqual(named.toSorted());
  expect(Object.keys(limits).filter((name) => !named.includes(name))).toEqual([]);
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const about = `${method} ${path}`;
      expect([about, operation.summary]).toEqual([about, expect.stringMatching(SUMMARY)]);
      expect([about, missing(path, operation, isCounted)]).toEqual([about, []]);
      if (operation.requestBody) expect(operation.requestBody["x-bytes-max"]).toBeGreaterThan(0);
      expect([about, unreadable(operation)]).toEqual([about, []]);
    }
}

/** The types of bodies for which generators of clients write code. */
const BODY_TYPES = ["application/json", "application/octet-stream"];

/** Parts for which generators of clients leave the operation out. */
function unreadable({ parameters = [], requestBody }: Operation): string[] {
  const types = Object.keys(requestBody?.content ?? {}).filter((type) => !BODY_TYPES.includes(type));
  const constants = parameters.filter((one) => one.in === "header" && "const" in (one.schema ?? {}));
  return [...types, ...constants.map((one) => JSON.stringify(one))];
}

function missing(path: string, operation: Operation, isCounted: boolean): string[] {
  const caller = operation["x-caller"];
  const isOpen = caller === "open";
  const wanted: [status: string, when: boolean][] = [
    ["400", true],
    ["421", true],
    ["503", true],
    ["401", !isOpen],
    ["403", !isOpen && caller !== "any"],
    ["404", path.includes("{")],
    ["408", operation.requestBody !== undefined],
    ["413", operation.requestBody !== undefined],
    ["429", !isOpen && isCounted],
  ];
  return wanted
    .filter(([status, when]) => when && !(status in operation.responses))
    .map(([status]) => status);
}
