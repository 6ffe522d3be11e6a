// Goal: on a disk that ignores letter case, a file that was renamed in case only is not found, overwritten or removed by its old name.
// Hard links stand for the names that such a disk finds, and a replaced `spelling` for the name that it lists (tests/cli/letter-case.test.ts
// runs on a real one).

import { expect, test } from "bun:test";
import { existsSync, linkSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Spelling } from "../../../src/context/versioned-store/sqlite/spelling.ts";
import { Tree } from "../../../src/context/versioned-store/sqlite/tree.ts";
import type { Obstacle } from "../../../src/context/versioned-store/sqlite/tree-file.ts";
import { sha256Hex } from "../../../src/kit/crypto.ts";
import { parseDocumentPath } from "../../../src/kit/text/paths.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { refusal } from "../../kit/http/refusal.ts";

const OLD = parseDocumentPath("path", "docs/readme.md");
const NEW = parseDocumentPath("path", "docs/Readme.md");

/** A space with one file, which was `docs/readme.md` and is `docs/Readme.md` now. */
async function renamed() {
  const folder = await temporaryFolder();
  mkdirSync(join(folder.path, ".cairn"));
  await folder.write(NEW, "mine");
  linkSync(join(folder.path, NEW), join(folder.path, OLD));
  const of = (path: string) => (path === OLD ? NEW : path);
  const tree = new Tree(folder.path, { spelling: { of, isExact: (path) => of(path) === path } });
  return {
    tree,
    at: (path: string) => join(folder.path, path),
    async [Symbol.asyncDispose]() {
      tree.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("the old name has no file, and names what the disk has there", async () => {
  await using space = await renamed();
  const { tree } = space;
  const blocked: Obstacle[] = [];
  expect(tree.look(OLD, (by) => blocked.push(by))).toBeUndefined();
  expect(blocked).toEqual([{ at: NEW, isDirectory: false }]);
  expect([tree.read(OLD), tree.sizeOf(OLD), ...tree.found(OLD)]).toEqual([undefined, undefined]);
  expect(tree.otherSpelling(OLD)).toBe(NEW);
  expect([tree.look(NEW)?.hash, tree.sizeOf(NEW)]).toEqual([sha256Hex("mine"), 4]);
});

test("the old name removes nothing and overwrites nothing", async () => {
  await using space = await renamed();
  const { tree, at } = space;
  expect(tree.remove(OLD, undefined)).toBe(true);
  expect([OLD, NEW].map((path) => existsSync(at(path)))).toEqual([true, true]);
  const content = Buffer.from("other");
  const put = async () => tree.put(OLD, content, sha256Hex(content), tree.look(NEW));
  const problem = `the disk of the working tree takes it for "${NEW}"; rename that first`;
  await refusal(put(), "conflict", `${OLD}: ${problem}`, { path: OLD, blocked_by: [NEW] });
  expect(readFileSync(at(NEW), "utf8")).toBe("mine");
});

test("a disk where case counts spells every path as it is given", async () => {
  await using space = await renamed();
  const spelling = new Spelling(space.at(""));
  expect([spelling.of(OLD), spelling.isExact(NEW)]).toEqual([OLD, !existsSync(space.at(".CAIRN"))]);
});
