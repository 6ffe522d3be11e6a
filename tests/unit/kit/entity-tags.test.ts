// Goal: the tags of If-Match are read as RFC 9110 writes them, and nothing else is taken for one.

import { expect, test } from "bun:test";
import { strongTags } from "../../../src/kit/http/entity-tags.ts";

test.each<[string, "*" | string[]]>([
  ["*", "*"],
  ['"7"', ["7"]],
  [' "7"\t', ["7"]],
  ['"a" ,\t"b","c,d"', ["a", "b", "c,d"]],
  ['""', [""]],
  ['W/"7"', []],
  ['W/"7", "8"', ["8"]],
])("reads %s", (header, tags) => {
  expect(strongTags(header)).toEqual(tags);
});

test.each(["7", "v7", "", '"7', '7"', "'7'", '"7" "8"', '"7",', '"a b"', '"a"b"', 'w/"7"', '*, "7"'])(
  "refuses %s",
  (header) => {
    expect(strongTags(header)).toBeUndefined();
  },
);
