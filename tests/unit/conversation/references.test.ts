// Goal: the common start of two calls is found from their references alone.

import { expect, test } from "bun:test";
import {
  formatReferences,
  parseReferences,
  withoutCommonStart,
} from "../../../src/service/conversation/references.ts";

function common(a: string, b: string): [number, string, string] {
  const { same, rest } = withoutCommonStart(parseReferences(a), parseReferences(b));
  return [same, formatReferences(rest[0]), formatReferences(rest[1])];
}

test("compares parts and ranges of entries, including a longer range", () => {
  expect(common("p1,p2,e5-10", "p1,p2,e5-14,p3")).toEqual([8, "", "e11-14,p3"]);
  expect(common("p1,e5-14,p3", "p1,e5-10,p4")).toEqual([7, "e11-14,p3", "p4"]);
  expect(common("p1,e5-10,e12,p3", "p1,e5-10,e12,p3")).toEqual([9, "", ""]);
  expect(common("p1,e5", "p1,e6")).toEqual([1, "e5", "e6"]);
  expect(common("p1", "e1")).toEqual([0, "p1", "e1"]);
  expect(common("e1", "p1")).toEqual([0, "e1", "p1"]);
  expect(common("", "p1")).toEqual([0, "", "p1"]);
});
