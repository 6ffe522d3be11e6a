// Goal: sizes, counts and times read the same on every surface of the programs.

import { expect, test } from "bun:test";
import {
  counted,
  countText,
  minuteText,
  plural,
  sizeInWords,
  sizeText,
} from "../../../src/kit/text/amounts.ts";

const KIB = 1024;

test("a size has the largest unit that fits, and one decimal below 100", () => {
  const sizes = [
    0,
    1,
    1023,
    KIB,
    1.5 * KIB,
    99.94 * KIB,
    100.4 * KIB,
    KIB ** 2 - 1,
    5 * KIB ** 2,
    3 * KIB ** 5,
  ];
  expect(sizes.map(sizeText)).toEqual([
    "0 B",
    "1 B",
    "1023 B",
    "1.0 KiB",
    "1.5 KiB",
    "99.9 KiB",
    "100 KiB",
    "1024 KiB",
    "5.0 MiB",
    "3072 TiB",
  ]);
});

test("a size in words spells bytes out, and is the same above", () => {
  expect([0, 1, 1023, 1.5 * KIB].map(sizeInWords)).toEqual(["0 bytes", "1 byte", "1023 bytes", "1.5 KiB"]);
});

test("one of a noun is singular, any other number is not", () => {
  expect([0, 1, 2000].map((count) => plural(count, "file"))).toEqual(["0 files", "1 file", "2000 files"]);
  expect([1, 2000].map((count) => counted(count, "entry", "entries"))).toEqual(["1 entry", "2,000 entries"]);
  expect(countText(48_210)).toBe("48,210");
});

test("a time ends at the minute", () => {
  expect(minuteText("2026-11-22T16:05:09.123Z")).toBe("2026-11-22 16:05");
});
