// Goal: what a working tree holds is never taken for gone because the system could not look.

import { expect, test } from "bun:test";
import { walk } from "../../../src/context/versioned-store/sqlite/walk.ts";
import { HeldRoot } from "../../../src/kit/disk/held-directory.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { refusalOf } from "../../kit/http/refusal.ts";

/** Fails with this error of the system when the directory `a` is opened. */
class Failing extends HeldRoot {
  readonly #code: string;

  constructor(path: string, code: string) {
    super(path);
    this.#code = code;
  }

  override hold(path: string) {
    if (path !== "a") return super.hold(path);
    throw Object.assign(new Error(`${this.#code}: open /somewhere/a`), { code: this.#code });
  }
}

async function found(code: string) {
  await using folder = await temporaryFolder();
  await folder.write("a/b.md", "b");
  await folder.write("c.md", "c");
  return [...walk(folder.path, new Failing(folder.path, code), "")].map((entry) => [
    entry.path,
    "refused" in entry ? entry.refused.code : "file",
  ]);
}

test("a directory that was removed meanwhile has no files; one that may not be read is an entry of its own", async () => {
  expect(await found("ENOENT")).toEqual([["c.md", "file"]]);
  for (const code of ["EACCES", "EIO"])
    expect((await found(code)).toSorted()).toEqual([
      ["a/", "unreadable"],
      ["c.md", "file"],
    ]);
});

test("a system that fails ends the walk, without the place", async () => {
  expect(await refusalOf(found("EMFILE"))).toMatchObject({
    code: "unavailable",
    message: "a cannot be read: too many open files",
  });
});

test.if(process.platform === "linux")(
  "of names that differ in their Unicode form only, the one in NFC is the document and the others are refused",
  async () => {
    await using folder = await temporaryFolder();
    for (const name of ["\u00fa.md", "u\u0301.md", "o\u0301.md", "e\u0301/x.md", "\u00e9/x.md"])
      await folder.write(name, name);
    const entries = [...walk(folder.path, new HeldRoot(folder.path), "")].map((entry) => [
      entry.path,
      "refused" in entry ? entry.refused.code : entry.name,
    ]);
    expect(entries.toSorted()).toEqual([
      ["e\u0301/", "clash"],
      ["u\u0301.md", "clash"],
      ["\u00e9/x.md", "\u00e9/x.md"],
      ["\u00f3.md", "o\u0301.md"],
      ["\u00fa.md", "\u00fa.md"],
    ]);
  },
);
