// Goal: headers of tar archives say the same after they were read as before they were written, and other tars read them.

import { expect, test } from "bun:test";
import { headerOf, paddingOf, parseHeader, tarOf } from "../../../src/kit/tar.ts";

const GIB = 1024 ** 3;

test("name and size come back, also beyond 8 GiB", () => {
  for (const size of [0, 1, 511, 512, 8 * GIB - 1, 8 * GIB, 8 * GIB + 1, 900 * GIB + 7]) {
    const entry = { name: "spaces/team/.cairn/space.db", size };
    expect(parseHeader(headerOf(entry, 1_700_000_000))).toEqual(entry);
  }
});

test("another tar reads them", async () => {
  const entry = { name: "server.yaml", size: 5 };
  const parts = [headerOf(entry, 0), Buffer.from("hello"), Buffer.alloc(paddingOf(5)), Buffer.alloc(1024)];
  const files = await new Bun.Archive(Buffer.concat(parts)).files();
  expect(await Promise.all([...files].map(async ([name, file]) => [name, await file.text()]))).toEqual([
    ["server.yaml", "hello"],
  ]);
});

test("long names, and names in any script, are read by another tar", async () => {
  const names = [
    "x".repeat(100),
    "x".repeat(101),
    `${"d/".repeat(300)}é`,
    "ü",
    "日本/語.md",
    "y".repeat(1_000),
  ];
  const sources = names.map((name) => ({ name, size: 3, content: [Buffer.from("ab"), Buffer.from("c")] }));
  const parts = await Array.fromAsync(tarOf(sources, 1_700_000_000));
  const files = await new Bun.Archive(Buffer.concat(parts)).files();
  expect([...files.keys()]).toEqual(names);
  for (const file of files.values()) expect(await file.text()).toBe("abc");
});

test("a content that is not as long as it said ends the archive", async () => {
  const source = { name: "a", size: 4, content: [Buffer.from("abc")] };
  await expect(Array.fromAsync(tarOf([source], 0))).rejects.toThrow("a: 3 bytes instead of 4");
});

test("the end is no file; a changed byte and what is no file are refused", () => {
  expect(parseHeader(Buffer.alloc(512))).toBeUndefined();
  const changed = headerOf({ name: "a", size: 1 }, 0);
  changed[0]! += 1;
  expect(() => parseHeader(changed)).toThrow("the header of a file is not readable");
  const directory = headerOf({ name: "a", size: 0 }, 0);
  // What is added to the type is added to the sum.
  directory[156]! += 5;
  directory.write(
    (Number.parseInt(directory.toString("latin1", 148, 154), 8) + 5).toString(8).padStart(6, "0"),
    148,
  );
  expect(() => parseHeader(directory)).toThrow('"a": is not a regular file');
});

test("what a terminal would obey is not in a name", () => {
  expect(parseHeader(headerOf({ name: "a\u001b[2Jb", size: 0 }, 0))).toEqual({
    name: "a\ufffd[2Jb",
    size: 0,
  });
});
