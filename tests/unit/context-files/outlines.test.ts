// Goal: outlines that are kept current are what reading everything again gives, after any changes, and edits on disk are found whatever they are.

import { expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Outlines } from "../../../src/context/versioned-store/engine.ts";
import { apply, at, put, remove, undelete } from "../../kit/store/file-engine.ts";
import { refusal } from "../../kit/http/refusal.ts";
import { treeBench } from "../../kit/store/tree-bench.ts";

const shown = ({ files }: Outlines) =>
  files.map(({ path, version, links }) => `${path} v${version} ${links.map(({ target }) => target).join()}`);

test("outlines match a full read after any changes", async () => {
  await using bench = await treeBench();
  let seed = 11;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  // Sorted differently by bytes and by UTF-16 units.
  const marks = ["é", "🙂", "z", "\ufb06"];
  const paths = Array.from(
    { length: 30 },
    (_, index) => `${"abc"[index % 3]}/${marks[index % 4]} ${index}.md`,
  );
  let kept = await bench.engine.outlines();
  expect(kept.files).toEqual([]);
  for (let round = 0; round < 15; round += 1) {
    const live = new Set((await bench.engine.list()).map(({ path }) => path as string));
    const gone = new Set((await bench.engine.list({ deleted: true })).map(({ path }) => path as string));
    const chosen = new Set(Array.from({ length: 1 + random(6) }, () => paths[random(paths.length)]!));
    await apply(
      bench.engine,
      [...chosen].map((path) => {
        if (live.has(path) && random(3) === 0) return remove(path);
        if (!live.has(path) && gone.has(path) && random(2) === 0) return undelete(path);
        return put(path, "[[x]] ".repeat(random(4)) + `[[${random(100)}]]`);
      }),
    );
    if (random(4) === 0) await bench.reopen();
    const fresh = await bench.engine.outlines();
    const current = await bench.engine.outlines(kept);
    expect(current).toEqual(fresh);
    expect(current.head).toEqual(bench.engine.head());
    expect(
      current.files.every(({ path }, index) => index === 0 || current.files[index - 1]!.path < path),
    ).toBe(true);
    kept = current;
    expect(await bench.engine.outlines(kept)).toBe(kept);
  }
});

test("outlines are read again after a restore, which changes the epoch", async () => {
  await using bench = await treeBench();
  const { engine } = bench;
  await apply(engine, [put("a.md", "[[b]]")]);
  const kept = await engine.outlines();
  engine.newEpoch();
  const other = await engine.outlines(kept);
  expect(other.head).toEqual(engine.head());
  expect(shown(other)).toEqual(["a.md v1 b"]);
});

test("edits are modified and untracked files, of which only documents have links", async () => {
  await using bench = await treeBench();
  const { engine, byHand, on } = bench;
  await apply(engine, [put("a.md", "[[old]]"), put("same.md", "[[x]]"), put("gone.md", "x")]);
  engine.settle();
  expect([...(await engine.editedOutlines())]).toEqual([]);
  byHand("a.md", "---\nowner: ann\n---\n\n[[new]]");
  byHand("same.md", "[[x]]");
  rmSync(on("gone.md"));
  for (const path of ["sub/b.txt", "data.json", "large.md", "not-utf8.md", ".git/c.md"])
    mkdirSync(dirname(on(path)), { recursive: true });
  byHand("sub/b.txt", "see sub/c.md");
  byHand("data.json", "[[x]]");
  byHand("large.md", "[[x]]".repeat(500_000));
  writeFileSync(on("not-utf8.md"), Uint8Array.of(0x5b, 0x5b, 0xff, 0x5d, 0x5d));
  byHand(".git/c.md", "[[x]]");
  symlinkSync(on("a.md"), on("link.md"));
  const edited = await engine.editedOutlines();
  expect([...edited.keys()].toSorted()).toEqual([
    at("a.md"),
    at("data.json"),
    at("large.md"),
    at("not-utf8.md"),
    at("sub/b.txt"),
  ]);
  expect(edited.get(at("a.md"))).toMatchObject({
    version: 1,
    fields: { owner: "ann" },
    links: [{ kind: "wiki", target: "new", line: 5 }],
  });
  expect(edited.get(at("sub/b.txt"))).toMatchObject({ version: null, links: [{ target: "sub/c.md" }] });
  for (const path of ["data.json", "large.md", "not-utf8.md"])
    expect(edited.get(at(path))).toMatchObject({ version: null, links: [] });
});

test("a closed space is unavailable", async () => {
  await using bench = await treeBench();
  const { engine } = bench;
  await engine.close();
  const gone = "the space was closed";
  await refusal(engine.outlines(), "unavailable", gone);
  await refusal(engine.editedOutlines(), "unavailable", gone);
  await refusal(engine.declarations(), "unavailable", gone);
  await refusal(engine.look(), "unavailable", gone);
});
