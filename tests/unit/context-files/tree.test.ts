// Goal: the working tree shows the live versions; what people do in it is seen, recorded on request, never overwritten and never hidden; no
// link in it is followed.

import { expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import type { Batch, Operation } from "../../../src/context/files/engine.ts";
import { openSqliteEngine, type SqliteEngine } from "../../../src/context/files/sqlite/engine.ts";
import { Tree } from "../../../src/context/files/sqlite/tree.ts";
import { sha256Hex } from "../../../src/kit/crypto.ts";
import {
  apply as commit,
  at,
  destroy,
  put,
  refusal,
  remove,
  silent,
  sqliteBench,
  text,
  undelete,
} from "../../kit/file-engine.ts";
import { eventually } from "../../kit/eventually.ts";
import { MINUTE_MS } from "../../kit/manual-clock.ts";

async function bench() {
  const made = await sqliteBench();
  const on = (path: string) => `${made.directory}/${path}`;
  return Object.assign(made, {
    on,
    shown: (path: string) => (existsSync(on(path)) ? readFileSync(on(path), "utf8") : undefined),
    byHand: (path: string, content: string) => writeFileSync(on(path), content),
    states: async () => (await made.engine.list()).map(({ path, version, state }) => [path, version, state]),
  });
}

/** With the tree as it is a moment later. */
async function apply(engine: SqliteEngine, operations: Operation[], more: Partial<Batch> = {}) {
  const applied = await commit(engine, operations, more);
  engine.settle();
  return applied;
}

test("the tree shows what is live, and no directory without a file", async () => {
  await using space = await bench();
  const { engine, shown } = space;
  await apply(engine, [put("a/b/c.md", "1"), put("x.md", "x")]);
  await apply(engine, [put("a/b/c.md", "2")]);
  expect(shown("a/b/c.md")).toBe("2");
  expect(lstatSync(space.on("a/b/c.md")).mode & 0o777).toBe(0o600);
  await apply(engine, [remove("a/b/c.md")]);
  expect(readdirSync(space.directory).sort()).toEqual([".cairn", "x.md"]);
  await apply(engine, [undelete("a/b/c.md")]);
  expect(shown("a/b/c.md")).toBe("2");
  await apply(engine, [put("X.md", "y"), remove("x.md"), put("a", "file"), remove("a/b/c.md")]);
  expect([shown("X.md"), shown("a")]).toEqual(["y", "file"]);
  expect(engine.treeBehind()).toEqual([]);
  expect(readdirSync(space.on(".cairn")).filter((name) => !name.startsWith("space.db"))).toEqual([]);
});

test("edited, new and missing files are seen, also after a restart, with their content, and adopted", async () => {
  await using space = await bench();
  await apply(space.engine, [put("a.md", "1"), put("b.md", "1"), put("c.md", "1"), put("old.md", "1")]);
  await apply(space.engine, [remove("old.md")]);
  space.byHand("a.md", "by hand");
  rmSync(space.on("b.md"));
  mkdirSync(space.on("new"));
  space.byHand("new/n.md", "new");
  space.byHand("old.md", "again");
  const states = [
    ["a.md", 1, "modified"],
    ["b.md", 1, "missing"],
    ["c.md", 1, "live"],
    ["new/n.md", null, "untracked"],
    ["old.md", null, "untracked"],
  ];
  expect(await space.states()).toEqual(states);
  await space.reopen();
  const { engine } = space;
  expect(await space.states()).toEqual(states);
  expect((await engine.stat(at("old.md")))!.state).toBe("untracked");
  expect((await engine.list({ deleted: true })).map(({ state }) => state)).toEqual(
    states.map((one) => one[2]) as never,
  );
  expect([
    text(await engine.copy(at("a.md"))),
    text(await engine.read(at("a.md"))),
    text(await engine.copy(at("new/n.md"))),
  ]).toEqual(["by hand", "1", "new"]);
  expect(await engine.history(at("new/n.md"))).toEqual({
    path: "new/n.md",
    tracked: false,
    current: null,
    versions: [],
  });
  // Reading recorded nothing.
  expect(engine.head().seq).toBe(5);
  const one = await engine.adopt({ author: "ann" }, [at("new/n.md"), at("c.md")]);
  expect(one.effects.map(({ path, after }) => [path as string, after!.version])).toEqual([["new/n.md", 1]]);
  const adopted = await engine.adopt({ author: "ann" });
  expect(adopted.effects.map(({ path, after }) => [path as string, after!.version])).toEqual([
    ["a.md", 2],
    ["old.md", 2],
  ]);
  expect((await engine.adopt({ author: "ann" })).effects).toEqual([]);
  expect(await refusal(engine.adopt({ author: "ann" }, [at(".cairn/space.db")]))).toEqual({
    code: "invalid",
    message: '.cairn/space.db: ".cairn" is a reserved name',
  });
});

test("what was edited by hand becomes a version before it would be overwritten", async () => {
  await using space = await bench();
  const { engine } = space;
  await apply(engine, [put("a.md", "1")]);
  space.byHand("a.md", "by hand");
  expect(await refusal(apply(engine, [put("a.md", "2", 1)]))).toEqual({
    code: "stale",
    message: "a.md: expected v1, but it is at v2 by now",
    details: { path: "a.md", current: 2 },
  });
  expect(text(await engine.read(at("a.md")))).toBe("by hand");
  expect((await engine.history(at("a.md")))!.versions[0]!.author).toBe("working tree");
  space.byHand("n.md", "new by hand");
  await apply(engine, [put("n.md", "2")]);
  expect(text(await engine.read(at("n.md"), 1))).toBe("new by hand");
  space.byHand("a.md", "again by hand");
  await apply(engine, [remove("a.md")]);
  expect(text(await engine.read(at("a.md"), 3))).toBe("again by hand");
});

test("an edit between the look and the commit stays in the tree, and is recorded by the next write", async () => {
  await using space = await bench();
  const { engine } = space;
  await apply(engine, [put("a.md", "1")]);
  await apply(engine, [put("a.md", "22")], { admit: () => space.byHand("a.md", "between") });
  expect([text(await engine.read(at("a.md"))), space.shown("a.md")]).toEqual(["22", "between"]);
  expect(await space.states()).toEqual([["a.md", 2, "modified"]]);
  await apply(engine, [put("a.md", "333")]);
  expect([text(await engine.read(at("a.md"), 3)), space.shown("a.md")]).toEqual(["between", "333"]);
});

test("links in the tree are not followed, not written through and not deleted through", async () => {
  await using space = await bench();
  const outside = `${space.directory}-outside`;
  mkdirSync(outside);
  writeFileSync(`${outside}/a.md`, "outside");
  const { engine } = space;
  await apply(engine, [put("d/a.md", "1"), put("e/a.md", "1"), put("f.md", "1")]);
  renameSync(space.on("d"), space.on("kept"));
  symlinkSync(outside, space.on("d"));
  rmSync(space.on("f.md"));
  symlinkSync(`${outside}/a.md`, space.on("f.md"));
  symlinkSync(outside, space.on("planted"));
  symlinkSync(`${outside}/a.md`, space.on("planted.md"));
  expect(await space.states()).toEqual([
    ["d/a.md", 1, "missing"],
    ["e/a.md", 1, "live"],
    ["f.md", 1, "missing"],
    ["kept/a.md", null, "untracked"],
  ]);
  expect([
    await engine.copy(at("d/a.md")),
    await engine.copy(at("planted.md")),
    await engine.stat(at("planted/a.md")),
  ]).toEqual([undefined, undefined, undefined]);
  expect((await engine.list({ prefix: at("d") })).map(({ state }) => state)).toEqual(["missing"]);
  expect(await engine.list({ prefix: at("planted") })).toEqual([]);
  // The link to a file is replaced; a directory that is a link is in the way.
  await apply(engine, [put("f.md", "2"), put("d/a.md", "2"), put("d/new.md", "2"), put("planted.md", "2")]);
  expect(lstatSync(space.on("f.md")).isSymbolicLink()).toBe(false);
  expect(engine.treeBehind()).toEqual([at("d/a.md"), at("d/new.md")]);
  await apply(engine, [remove("d/a.md"), put("d/deep/x.md", "x")]);
  await apply(engine, [destroy("d/a.md", 1), remove("d/deep/x.md")]);
  expect(readdirSync(outside)).toEqual(["a.md"]);
  expect(readFileSync(`${outside}/a.md`, "utf8")).toBe("outside");
  expect(lstatSync(space.on("d")).isSymbolicLink()).toBe(true);
  // Out of the way, the next write brings the tree up to date.
  rmSync(space.on("d"));
  await apply(engine, [put("other.md", "x")]);
  expect([engine.treeBehind(), space.shown("d/new.md"), space.shown("d/a.md")]).toEqual([[], "2", undefined]);
});

test("where the tree can't be written the write stands, and the path is tried again: with the next write, and at the open", async () => {
  await using space = await bench();
  await apply(space.engine, [put("a.md", "1"), put("b.md", "1")]);
  const block = (path: string) => {
    rmSync(space.on(path), { force: true });
    mkdirSync(space.on(`${path}/in the way`), { recursive: true });
  };
  block("a.md");
  block("n.md");
  await apply(space.engine, [put("a.md", "2"), put("n.md", "1")]);
  expect([space.engine.treeBehind(), text(await space.engine.read(at("a.md")))]).toEqual([
    [at("a.md"), at("n.md")],
    "2",
  ]);
  expect((await space.engine.stat(at("a.md")))!.state).toBe("missing");
  await apply(space.engine, [put("b.md", "2")]);
  expect(space.shown("b.md")).toBe("2");
  rmSync(space.on("n.md"), { recursive: true });
  await apply(space.engine, [put("b.md", "3")]);
  expect([space.engine.treeBehind(), space.shown("n.md")]).toEqual([[at("a.md")], "1"]);
  // Many writes later, and in another process.
  for (let count = 0; count < 20; count++) await apply(space.engine, [put("b.md", `more ${count}`)]);
  await space.reopen();
  expect(space.engine.treeBehind()).toEqual([at("a.md")]);
  rmSync(space.on("a.md"), { recursive: true });
  await space.reopen();
  expect([space.engine.treeBehind(), space.shown("a.md")]).toEqual([[], "2"]);
});

test("an old version that could not be replaced is nobody's edit", async () => {
  await using space = await bench();
  await apply(space.engine, [put("d/a.md", "1"), put("d/b.md", "1")]);
  // Nothing can be written while the place for temporary files is away; a file in a directory of that name can't be removed either.
  const away = () => renameSync(space.on("d"), space.on("aside"));
  away();
  symlinkSync(space.on("aside"), space.on("d"));
  await apply(space.engine, [put("d/a.md", "2"), remove("d/b.md")]);
  rmSync(space.on("d"));
  renameSync(space.on("aside"), space.on("d"));
  expect(space.shown("d/a.md")).toBe("1");
  expect((await apply(space.engine, [put("d/a.md", "3", 2)])).effects[0]!.after!.version).toBe(3);
  expect(space.shown("d/a.md")).toBe("3");
});

test("names in another Unicode form are the same path", async () => {
  await using space = await bench();
  const { engine } = space;
  const decomposed = "cafe\u0301";
  mkdirSync(space.on(decomposed));
  space.byHand(`${decomposed}/${decomposed}.md`, "by hand");
  const path = at("caf\u00e9/caf\u00e9.md");
  expect(await space.states()).toEqual([[path, null, "untracked"]]);
  expect(text(await engine.copy(path))).toBe("by hand");
  await engine.adopt({ author: "ann" });
  expect(await space.states()).toEqual([[path, 1, "live"]]);
  await apply(engine, [put(path, "2")]);
  expect(await space.states()).toEqual([[path, 2, "live"]]);
  await apply(engine, [remove(path)]);
  expect(readdirSync(space.directory)).toEqual([".cairn"]);
});

test("our own names and what can't be a path are never documents", async () => {
  await using space = await bench();
  for (const directory of [".git", "a/.GIT", ".sync"]) {
    mkdirSync(space.on(directory), { recursive: true });
    space.byHand(`${directory}/config`, "x");
  }
  space.byHand(".DS_Store", "x");
  space.byHand("a/.DS_Store", "x");
  space.byHand("a/con.md", "x");
  space.byHand("a/ok.md", "x");
  expect(await space.states()).toEqual([["a/ok.md", null, "untracked"]]);
  expect(await space.engine.list({ prefix: at(".git") })).toEqual([]);
});

test("what changes while a long listing pauses is listed as it is in the end", async () => {
  await using space = await bench();
  const { engine } = space;
  const paths = Array.from({ length: 3_000 }, (_, index) => `${index % 10}/${index}.md`);
  await apply(
    engine,
    paths.map((path) => put(path, path)),
  );
  const listing = engine.list();
  const writes = apply(engine, [put("0/0.md", "changed"), remove("9/2999.md"), put("9/new.md", "new")]);
  const [listed] = await Promise.all([listing, writes]);
  expect(listed).toEqual(await engine.list());
  expect(listed.every(({ state }) => state === "live")).toBe(true);
  expect(listed).toHaveLength(3_000);
});

test("a space without its tree is made whole from its database when it begins another history", async () => {
  await using space = await bench();
  await apply(space.engine, [put("a/b.md", "1"), put("c.md", "1"), put("d.md", "1")]);
  await apply(space.engine, [remove("d.md")]);
  const { epoch } = space.engine.head();
  rmSync(space.on("a"), { recursive: true });
  rmSync(space.on("c.md"));
  space.engine.newEpoch();
  expect(space.engine.head().epoch).not.toBe(epoch);
  expect(await space.states()).toEqual([
    ["a/b.md", 1, "live"],
    ["c.md", 1, "live"],
  ]);
  await space.reopen();
  expect(space.engine.head().epoch).not.toBe(epoch);
  expect((await space.engine.stat(at("c.md")))!.hash).toBe(sha256Hex("1"));
});

/** Without a change for so long, the tree is calm. */
const CALM_MS = 20;

test("where little is going on, the tree shows a write before it is acknowledged", async () => {
  await using space = await bench();
  for (const content of ["1", "2", "3"]) {
    space.clock.advance(CALM_MS + 1);
    await commit(space.engine, [put("d/a.md", content)]);
    expect(space.shown("d/a.md")).toBe(content);
  }
  space.clock.advance(CALM_MS + 1);
  await commit(space.engine, [remove("d/a.md")]);
  expect(existsSync(space.on("d"))).toBe(false);
});

test("the tree follows by itself, and a file that changes again before its turn is written once", async () => {
  await using space = await bench();
  const { engine } = space;
  await commit(engine, [put("a.md", "1"), put("d/b.md", "b")]);
  await commit(engine, [put("a.md", "2")]);
  await commit(engine, [put("a.md", "3"), remove("d/b.md")]);
  expect([space.shown("a.md"), space.shown("d/b.md")]).toEqual(["1", "b"]);
  space.clock.advance(CALM_MS);
  await eventually(() => [space.shown("a.md"), existsSync(space.on("d"))], ["3", false]);
  const many = Array.from({ length: 600 }, (_, index) => put(`many/${index}.md`, `${index}`));
  await commit(engine, many);
  // Writers are slowed down to the disk: no more than a bounded number waits.
  expect(readdirSync(space.on("many")).length).toBeGreaterThanOrEqual(600 - 256);
  space.clock.advance(CALM_MS);
  await eventually(() => readdirSync(space.on("many")).length, 600);
});

test("changes that never end do not keep the tree from following", async () => {
  await using space = await bench();
  const { engine, clock } = space;
  await commit(engine, [put("a.md", "0"), put("b.md", "0")]);
  let change = 0;
  const next = async (path: string) => {
    clock.advance(CALM_MS / 2);
    await commit(engine, [put(path, `${++change}`)]);
    // Longer than it would wait for the calm: the real time is not the one that it goes by.
    await Bun.sleep(2);
  };
  await next("b.md");
  for (let rest = 24; rest > 0; rest -= 1) await next("a.md");
  expect([space.shown("a.md"), space.shown("b.md")]).toEqual(["0", "0"]);
  // A quarter of a second after the first of its changes that is not shown.
  await next("a.md");
  await next("a.md");
  await eventually(() => [space.shown("a.md") !== "0", space.shown("b.md")], [true, "1"]);
});

test("who looks at the tree through the engine finds what is committed", async () => {
  await using space = await bench();
  const { engine } = space;
  await commit(engine, [put("a.md", "1"), put("x/y.md", "1")]);
  expect((await engine.stat(at("a.md")))!.state).toBe("live");
  await commit(engine, [put("a.md", "2"), remove("x/y.md"), put("x", "a file now")]);
  expect(text(await engine.copy(at("a.md")))).toBe("2");
  await commit(engine, [remove("x")]);
  await commit(engine, [put("x/y.md", "2"), put("n.md", "1")]);
  expect(await space.states()).toEqual([
    ["a.md", 2, "live"],
    ["n.md", 1, "live"],
    ["x/y.md", 2, "live"],
  ]);
  await commit(engine, [put("a.md", "3")]);
  await space.reopen();
  expect([space.shown("a.md"), space.engine.treeBehind()]).toEqual(["3", []]);
});

test("what is edited by hand before the tree has followed stays, and is recorded by the next write", async () => {
  await using space = await bench();
  const { engine } = space;
  await apply(engine, [put("a.md", "1")]);
  await commit(engine, [put("a.md", "22"), put("n.md", "1")]);
  space.byHand("a.md", "by hand");
  space.byHand("n.md", "mine");
  expect(await space.states()).toEqual([
    ["a.md", 2, "modified"],
    ["n.md", 1, "modified"],
  ]);
  await commit(engine, [put("a.md", "333")]);
  space.byHand("a.md", "once more");
  await apply(engine, [put("a.md", "4444"), put("n.md", "2")]);
  expect([space.shown("a.md"), space.shown("n.md")]).toEqual(["once more", "2"]);
  expect(text(await engine.read(at("a.md"), 3))).toBe("by hand");
  expect(text(await engine.read(at("n.md"), 2))).toBe("mine");
  await apply(engine, [put("a.md", "55555")]);
  expect(text(await engine.read(at("a.md"), 5))).toBe("4444");
  expect(text(await engine.read(at("a.md"), 6))).toBe("once more");
  expect(space.shown("a.md")).toBe("55555");
});

test("after a power cut all files of the last minutes are looked at, and what is there of them is made whole", async () => {
  await using space = await bench();
  const long = "0123456789abcdef".repeat(1_000);
  await apply(space.engine, [put("before.md", "written long before")]);
  space.clock.advance(2 * MINUTE_MS + 1);
  const paths = ["empty.md", "begun.md", "shorter.md", "other.md", "whole.md"];
  await apply(
    space.engine,
    paths.map((path) => put(path, `${path} ${long}`)),
  );
  // More than are looked at in any case.
  for (let change = 0; change < 400; change += 1) await apply(space.engine, [put("busy.md", `${change}`)]);
  const crashed = `${space.directory}-crashed`;
  cpSync(space.directory, crashed, { recursive: true });
  const [block, other] = [4_096, 5_000];
  writeFileSync(`${crashed}/before.md`, "");
  writeFileSync(`${crashed}/empty.md`, "");
  truncateSync(`${crashed}/begun.md`, block);
  truncateSync(`${crashed}/shorter.md`, other);
  writeFileSync(`${crashed}/other.md`, "x".repeat(block));
  const engine = openSqliteEngine({ directory: crashed, clock: space.clock, log: silent });
  const states = (await engine.list()).map(({ path, state }) => `${path} ${state}`);
  await engine.close();
  expect(states).toEqual([
    "before.md modified",
    "begun.md live",
    "busy.md live",
    "empty.md live",
    "other.md modified",
    "shorter.md modified",
    "whole.md live",
  ]);
  expect(readFileSync(`${crashed}/begun.md`, "utf8")).toBe(`begun.md ${long}`);
  rmSync(crashed, { recursive: true });
});

test("a file is only replaced or removed as it was looked at", async () => {
  await using space = await bench();
  const { shown, byHand } = space;
  const tree = new Tree(space.directory);
  const bytes = new TextEncoder().encode("ours");
  const write = (seen: ReturnType<Tree["look"]>) => tree.put(at("d/a.md"), bytes, sha256Hex(bytes), seen);
  expect([write(undefined), shown("d/a.md")]).toEqual([true, "ours"]);
  const before = tree.look(at("d/a.md"));
  const edits = [
    () => byHand("d/a.md", "mine"),
    () => {
      byHand("d/b.md", "mine");
      renameSync(space.on("d/b.md"), space.on("d/a.md"));
    },
  ];
  for (const edit of edits) {
    edit();
    expect([write(before), write(undefined), tree.remove(at("d/a.md"), before)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(shown("d/a.md")).toBe("mine");
  }
  expect(readdirSync(space.on(".cairn")).filter((name) => !name.startsWith("space.db"))).toEqual([]);
  expect([write(tree.look(at("d/a.md"))), shown("d/a.md")]).toEqual([true, "ours"]);
  rmSync(space.on("d/a.md"));
  expect([write(before), shown("d/a.md")]).toEqual([true, "ours"]);
  expect([tree.remove(at("d/a.md"), tree.look(at("d/a.md"))), existsSync(space.on("d"))]).toEqual([
    true,
    false,
  ]);
});

test("a file that a power cut left empty is made whole, and is nobody's edit", async () => {
  await using space = await bench();
  await apply(space.engine, [put("a.md", "1"), put("b.md", "b")]);
  await apply(space.engine, [put("a.md", "2")]);
  // As the disk is when the power goes: nothing was closed.
  const crashed = `${space.directory}-crashed`;
  cpSync(space.directory, crashed, { recursive: true });
  writeFileSync(`${crashed}/a.md`, "");
  writeFileSync(`${crashed}/b.md`, "by hand");
  const engine = openSqliteEngine({ directory: crashed, clock: space.clock, log: silent });
  const states = (await engine.list()).map(({ path, version, state }) => [path, version, state]);
  await engine.close();
  expect(states).toEqual([
    ["a.md", 2, "live"],
    ["b.md", 1, "modified"],
  ]);
  expect(readFileSync(`${crashed}/a.md`, "utf8")).toBe("2");
  rmSync(crashed, { recursive: true });
  // One that somebody emptied while all was well is an edit as any other.
  space.byHand("b.md", "");
  await space.reopen();
  expect((await space.states())[1]).toEqual(["b.md", 1, "modified"]);
});
