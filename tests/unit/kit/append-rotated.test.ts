// Goal: a file of lines stays bounded, its last full part is kept beside it, and a line that was cut off spoils no other.

import { expect, test } from "bun:test";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { appendRotated, rotatedPath } from "../../../src/kit/disk/append-rotated.ts";
import { temporaryFolder } from "../../kit/folder.ts";

test("a full file makes room for the next line, whatever the line's size", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "lines.log");
  for (const line of ["a", "b", "c", "d", "longer than the limit"]) appendRotated(path, `${line}\n`, 4);
  expect(readdirSync(folder.path).toSorted()).toEqual(["lines.log", "lines.log.1"]);
  expect([path, rotatedPath(path)].map((file) => readFileSync(file, "utf8"))).toEqual([
    "longer than the limit\n",
    "c\nd\n",
  ]);
});

test("a line that a full disk or a power cut tore ends before the next one", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "lines.log");
  appendRotated(path, "whole\n", 100);
  appendFileSync(path, "to");
  appendRotated(path, "next\n", 100);
  appendRotated(path, "last\n", 100);
  expect(readFileSync(path, "utf8")).toBe("whole\nto\nnext\nlast\n");
});
