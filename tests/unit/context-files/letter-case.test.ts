// Goal: on a disk that ignores letter case, a file that was renamed in case only is not found, overwritten or removed by its old name.
// Hard links stand for the names that such a disk finds, and a replaced `spelling` for the name that it lists (tests/cli/letter-case.test.ts
// runs on a real one).

import { expect, test } from "bun:test";
import { existsSync, linkSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Following } from "../../../src/context/versioned-store/sqlite/following.ts";
import type { Replacing } from "../../../src/context/versioned-store/sqlite/replacing.ts";
import { Spelling } from "../../../src/context/versioned-store/sqlite/spelling.ts";
import type { FileRow, SpaceStore } from "../../../src/context/versioned-store/sqlite/store.ts";
import { Tree } from "../../../src/context/versioned-store/sqlite/tree.ts";
import type { Obstacle } from "../../../src/context/versioned-store/sqlite/tree-file.ts";
import { Trusting } from "../../../src/context/versioned-store/sqlite/trusting.ts";
import { sha256Hex } from "../../../src/kit/crypto.ts";
import { parseDocumentPath, type DocumentPath } from "../../../src/kit/text/paths.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { refusal } from "../../kit/http/refusal.ts";
import { manualClock } from "../../kit/manual-clock.ts";

const OLD = parseDocumentPath("path", "docs/readme.md");
const NEW = parseDocumentPath("path", "docs/Readme.md");

/** A space with one file, which was renamed in case only. */
async function renamed(from: string = OLD, to: string = NEW) {
  const folder = await temporaryFolder();
  mkdirSync(join(folder.path, ".cairn"));
  await folder.write(to, "mine");
  mkdirSync(dirname(join(folder.path, from)), { recursive: true });
  linkSync(join(folder.path, to), join(folder.path, from));
  const of = (path: string) => {
    if (path === from) return to;
    return path === dirname(from) ? dirname(to) : path;
  };
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

test("neither a recorded name nor a new one is written beside the name that the disk has", async () => {
  await using space = await renamed("docs/readme.md", "Docs/readme.md");
  const row = { id: 1, live: 1, hash: sha256Hex("mine") } as FileRow;
  const store = { file: { get: (path: string) => (path === OLD ? row : null) } } as unknown as SpaceStore;
  const following = { isWaiting: () => false, freeName: () => false } as unknown as Following;
  const trusting = new Trusting({
    ...space,
    store,
    following,
    replacing: {} as Replacing,
    clock: manualClock(),
  });
  const problem = (by: string) => `the disk of the working tree takes it for "${by}"; rename that first`;
  const blocked = (path: string, by: string, leaving: string[] = []) =>
    refusal(
      (async () => trusting.handEdits(path as DocumentPath, new Set(leaving)))(),
      "conflict",
      `${path}: ${problem(by)}`,
      { path, blocked_by: [by] },
    );
  await blocked("docs/readme.md", "Docs/readme.md");
  await blocked("docs/new.md", "Docs");
  await blocked("docs/sub/new.md", "Docs");
  // A delete takes nothing, and what is deleted with the write leaves the directory with its name.
  expect(trusting.handEdits(OLD)).toEqual([]);
  expect(trusting.handEdits("docs/new.md" as DocumentPath, new Set(["Docs/readme.md"]))).toEqual([]);
});

test("a disk where case counts spells every path as it is given", async () => {
  await using space = await renamed();
  const spelling = new Spelling(space.at(""));
  expect([spelling.of(OLD), spelling.isExact(NEW)]).toEqual([OLD, !existsSync(space.at(".CAIRN"))]);
});
