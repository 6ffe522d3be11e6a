// Goal: rows of any size come in pages that are quick to read, in their order, each once.

import { expect, test } from "bun:test";
import { pagesBySize } from "../../../src/kit/storage/pages.ts";

const PAGE = 512 * 1024;
const pagesOf = (...sizes: number[]) => [
  ...pagesBySize(sizes.map((bytes, index) => ({ id: index + 1, bytes }))),
];

test("a page is as full as it may be, and a larger row is a page of its own", () => {
  expect(pagesOf(PAGE / 2, PAGE / 2, 1, PAGE + 1, 1, 1)).toEqual([[1, 2], [3], [4], [5, 6]]);
  expect(pagesOf(PAGE + 1)).toEqual([[1]]);
  expect(pagesOf()).toEqual([[]]);
});
