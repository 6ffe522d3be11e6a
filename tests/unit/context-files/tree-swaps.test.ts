// Goal: swapping a directory for a link at the worst moment neither leads writes out of a space nor brings content in.

import { expect, test } from "bun:test";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Tree } from "../../../src/context/versioned-store/sqlite/tree.ts";
import { sha256Hex } from "../../../src/kit/crypto.ts";
import { HeldRoot, THROUGH, type Through } from "../../../src/kit/disk/held-directory.ts";
import { parseDocumentPath } from "../../../src/kit/text/paths.ts";
import { temporaryFolder } from "../../kit/folder.ts";

const PATH = parseDocumentPath("path", "a/b/c.md");
const WAYS: Through[] = THROUGH === "paths" ? ["paths"] : ["descriptors", "paths"];

/** Swaps `a` for a link to `outside` once at the given moment. */
class Swapped extends HeldRoot {
  moment: "before hold" | "after hold" | "before open" | undefined;
  /** How often `a/b` was proven. */
  holds = 0;
  readonly #folder: string;

  constructor(folder: string, through: Through) {
    super(join(folder, "space"), through);
    this.#folder = folder;
  }

  override hold(path: string) {
    if (path !== "a/b") return super.hold(path);
    this.holds += 1;
    this.#swap("before hold");
    const held = super.hold(path);
    this.#swap("after hold");
    return held;
  }

  override open(path: string) {
    this.#swap("before open");
    return super.open(path);
  }

  #swap(moment: typeof this.moment): void {
    if (this.moment !== moment) return;
    this.moment = undefined;
    this.swap();
  }

  swap(): void {
    renameSync(join(this.#folder, "space/a"), join(this.#folder, "moved"));
    symlinkSync(join(this.#folder, "outside"), join(this.#folder, "space/a"));
  }
}

/** A space with `a/b/c.md`, and an outside directory with another file of that path. */
async function swapped(through: Through) {
  const folder = await temporaryFolder();
  for (const directory of ["space/.cairn", "space/a/b", "outside/b"])
    mkdirSync(join(folder.path, directory), { recursive: true });
  writeFileSync(join(folder.path, "space/a/b/c.md"), "inside");
  writeFileSync(join(folder.path, "outside/b/c.md"), "secret");
  const directories = new Swapped(folder.path, through);
  const tree = new Tree(join(folder.path, "space"), { directories });
  return {
    tree,
    directories,
    space: join(folder.path, "space"),
    outsideDirectory: join(folder.path, "outside/b"),
    outside: () => [
      readdirSync(join(folder.path, "outside/b")),
      readFileSync(join(folder.path, "outside/b/c.md"), "utf8"),
    ],
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const UNTOUCHED = [["c.md"], "secret"];
const CONTENT = Buffer.from("new");

function outcome(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

for (const through of WAYS) {
  test(`through ${through}: without a swap, everything happens in place`, async () => {
    await using at = await swapped(through);
    const seen = at.tree.look(PATH);
    expect(Buffer.from(at.tree.read(PATH)!.bytes).toString()).toBe("inside");
    expect(at.tree.put(PATH, CONTENT, sha256Hex(CONTENT), seen)).toBe(true);
    expect(Buffer.from(at.tree.read(PATH)!.bytes).toString()).toBe("new");
    expect([...at.tree.found()].map(({ path }) => String(path))).toEqual([PATH]);
    expect(at.tree.remove(PATH, at.tree.look(PATH))).toBe(true);
    expect([...at.tree.found()]).toEqual([]);
  });

  for (const moment of ["before hold", "after hold"] as const) {
    test(`through ${through}: a swap ${moment} leads no write outside`, async () => {
      await using at = await swapped(through);
      const seen = at.tree.look(PATH);
      at.directories.moment = moment;
      outcome(() => at.tree.put(PATH, CONTENT, sha256Hex(CONTENT), seen));
      expect(at.directories.moment).toBeUndefined();
      expect(at.outside()).toEqual(UNTOUCHED);
    });

    test(`through ${through}: a swap ${moment} leads no removal outside`, async () => {
      await using at = await swapped(through);
      const seen = at.tree.look(PATH);
      at.directories.moment = moment;
      outcome(() => at.tree.remove(PATH, seen));
      expect(at.directories.moment).toBeUndefined();
      expect(at.outside()).toEqual(UNTOUCHED);
    });

    test(`through ${through}: a swap ${moment} lists nothing from outside`, async () => {
      await using at = await swapped(through);
      writeFileSync(join(at.outsideDirectory, "other.md"), "secret");
      at.directories.moment = moment;
      const found = outcome(() => [...at.tree.found()].map(({ path }) => String(path)));
      expect(at.directories.moment).toBeUndefined();
      expect(JSON.stringify(found)).not.toContain("other.md");
    });
  }

  test(`through ${through}: files written together share a proof, and a swap between them leads no write outside`, async () => {
    await using at = await swapped(through);
    const others = ["a/b/d.md", "a/b/e.md"].map((path) => parseDocumentPath("path", path));
    const put = (path: typeof PATH) => at.tree.put(path, CONTENT, sha256Hex(CONTENT), undefined);
    at.tree.together(() => {
      expect(others.map(put)).toEqual([true, true]);
      expect(at.directories.holds).toBe(1);
      at.directories.swap();
      outcome(() => put(parseDocumentPath("path", "a/b/f.md")));
    });
    expect(at.outside()).toEqual(UNTOUCHED);
    expect(outcome(() => put(others[0]!))).toBe("conflict");
    expect(at.outside()).toEqual(UNTOUCHED);
  });

  test(`through ${through}: a directory that is removed between two files is made again`, async () => {
    await using at = await swapped(through);
    const [first, second] = ["n/a.md", "n/b.md"].map((path) => parseDocumentPath("path", path));
    at.tree.together(() => {
      at.tree.put(first!, CONTENT, sha256Hex(CONTENT), undefined);
      rmSync(join(at.space, "n"), { recursive: true });
      expect(at.tree.put(second!, CONTENT, sha256Hex(CONTENT), undefined)).toBe(true);
    });
    expect(readdirSync(join(at.space, "n"))).toEqual(["b.md"]);
  });

  test(`through ${through}: a swap between check and read returns nothing from outside`, async () => {
    await using at = await swapped(through);
    at.directories.moment = "before open";
    expect(at.tree.look(PATH)).toBeUndefined();
    expect(at.directories.moment).toBeUndefined();
    expect(at.tree.read(PATH)).toBeUndefined();
  });
}
