// Goal: the working tree follows the log: immediately when idle, later under load, once for several changes; manual edits in between are kept, and
// files torn by a crash are repaired.

import { expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { openSqliteEngine } from "../../../src/context/versioned-store/sqlite/engine.ts";
import { apply as commit, at, put, remove, text } from "../../kit/store/file-engine.ts";
import { silent } from "../../kit/silent.ts";
import { eventually } from "../../kit/eventually.ts";
import { applyAndSettle as apply, treeBench as bench } from "../../kit/store/tree-bench.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { manualClock, MINUTE_MS } from "../../kit/manual-clock.ts";

/** The tree is calm after this long without a change. */
const CALM_MS = 20;

test("when idle, the tree shows a write before it is acknowledged", async () => {
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

test("the tree follows by itself, and writes a file once that changes again before its turn", async () => {
  await using space = await bench();
  const { engine } = space;
  await commit(engine, [put("a.md", "1"), put("d/b.md", "b")]);
  await commit(engine, [put("a.md", "2")]);
  await commit(engine, [put("a.md", "3"), remove("d/b.md")]);
  expect([space.shown("a.md"), space.shown("d/b.md")]).toEqual(["1", "b"]);
  space.clock.advance(CALM_MS);
  await eventually(() => [space.shown("a.md"), existsSync(space.on("d"))], ["3", false]);
});

test("a file that the disk refused comes with a later list or look, without a write", async () => {
  await using space = await bench();
  const { engine, clock } = space;
  const paths = Array.from({ length: 20 }, (_, index) => `${index}.md`);
  await apply(
    engine,
    paths.map((path) => put(path, "1")),
  );
  // A disk refuses everyone the place of a directory with a file.
  for (const path of paths) {
    rmSync(space.on(path));
    mkdirSync(space.on(`${path}/in the way`), { recursive: true });
    space.byHand(`${path}/in the way/x`, "x");
  }
  await apply(
    engine,
    paths.map((path) => put(path, "2")),
  );
  expect(engine.treeBehind()).toHaveLength(paths.length);
  const states = async () => new Set((await engine.list()).map(({ state }) => state));
  expect(await states()).toEqual(new Set(["missing", "refused"]));
  for (const path of paths) rmSync(space.on(path), { recursive: true });
  // Not again at once.
  expect(await states()).toEqual(new Set(["missing"]));
  clock.advance(5_000);
  expect(await states()).toEqual(new Set(["live"]));
  expect(paths.map((path) => space.shown(path))).toEqual(paths.map(() => "2"));
});

test("the log says once why the disk refuses a file, however often it is tried", async () => {
  await using folder = await temporaryFolder();
  const clock = manualClock();
  const reasons: unknown[] = [];
  const log = { ...silent, error: (_: string, fields?: object) => void reasons.push(fields) };
  const engine = openSqliteEngine({ directory: folder.path, clock, log });
  await apply(engine, [put("a.md", "1")]);
  // A disk refuses everyone the place of a directory with a file.
  rmSync(`${folder.path}/a.md`);
  mkdirSync(`${folder.path}/a.md`);
  writeFileSync(`${folder.path}/a.md/x`, "x");
  await apply(engine, [put("a.md", "2")]);
  for (let step = 0; step < 3; step += 1) {
    clock.advance(5_000);
    await engine.list();
    await apply(engine, [put("b.md", `${step}`)]);
  }
  expect(engine.treeBehind()).toEqual([at("a.md")]);
  await engine.close();
  expect(reasons).toEqual([expect.objectContaining({ path: "a.md" })]);
});

test("acknowledges many files first, and slows down writers that outrun the disk", async () => {
  await using space = await bench();
  const { engine, clock } = space;
  const many = (directory: string) =>
    Array.from({ length: 600 }, (_, index) => put(`${directory}/${index}.md`, `${index}`));
  const count = () =>
    ["one", "two", "three"].flatMap((name) => (existsSync(space.on(name)) ? readdirSync(space.on(name)) : []))
      .length;
  await commit(engine, [put("a.md", "1")]);
  await commit(engine, many("one"));
  expect(count()).toBe(0);
  // Each write follows more files than it adds.
  await commit(engine, [put("b.md", "1")]);
  expect(count()).toBe(2);
  await commit(engine, many("two"));
  expect(count()).toBeGreaterThanOrEqual(1_190);
  expect((await engine.stat(at("two/599.md")))!.state).toBe("live");
  expect(count()).toBe(1_200);
  await commit(engine, many("three"));
  clock.advance(CALM_MS);
  await eventually(count, 1_800);
});

test("the tree follows even if changes never stop", async () => {
  await using space = await bench();
  const { engine, clock } = space;
  await commit(engine, [put("a.md", "0"), put("b.md", "0")]);
  let change = 0;
  const next = async (path: string) => {
    clock.advance(CALM_MS / 2);
    await commit(engine, [put(path, `${++change}`)]);
    // Real time passes, but the tree only goes by the test's clock.
    await Bun.sleep(2);
  };
  await next("b.md");
  for (let rest = 24; rest > 0; rest -= 1) await next("a.md");
  expect([space.shown("a.md"), space.shown("b.md")]).toEqual(["0", "0"]);
  // A quarter of a second after its first unshown change.
  await next("a.md");
  await next("a.md");
  await eventually(() => [space.shown("a.md") !== "0", space.shown("b.md")], [true, "1"]);
});

test("reading the tree through the engine shows everything committed", async () => {
  await using space = await bench();
  const { engine } = space;
  await commit(engine, [put("a.md", "1"), put("x/y.md", "1")]);
  expect((await engine.stat(at("a.md")))!.state).toBe("live");
  await commit(engine, [put("a.md", "2"), remove("x/y.md"), put("x", "a file now")]);
  expect(text(await engine.copy(at("a.md")))).toBe("2");
  await commit(engine, [remove("x")]);
  await commit(engine, [put("x/y.md", "2"), put("n.md", "1")]);
  expect(await space.states()).toEqual(["a.md v2 live", "n.md v1 live", "x/y.md v2 live"]);
  await commit(engine, [put("a.md", "3")]);
  await space.reopen();
  expect([space.shown("a.md"), space.engine.treeBehind()]).toEqual(["3", []]);
});

test("keeps a manual edit made before the tree has followed, and records it with the next write", async () => {
  await using space = await bench();
  const { engine } = space;
  await apply(engine, [put("a.md", "1")]);
  await commit(engine, [put("a.md", "22"), put("n.md", "1")]);
  space.byHand("a.md", "by hand");
  space.byHand("n.md", "mine");
  expect(await space.states()).toEqual(["a.md v2 modified", "n.md v1 modified"]);
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

test("after a power cut, checks all files of the last minutes and repairs them", async () => {
  await using space = await bench();
  const long = "0123456789abcdef".repeat(1_000);
  await apply(space.engine, [put("before.md", "written long before")]);
  space.clock.advance(2 * MINUTE_MS + 1);
  const paths = ["empty.md", "begun.md", "shorter.md", "other.md", "whole.md"];
  await apply(
    space.engine,
    paths.map((path) => put(path, `${path} ${long}`)),
  );
  // More than are always checked.
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

test("repairs a file that a power cut left empty, and does not take it for an edit", async () => {
  await using space = await bench();
  await apply(space.engine, [put("a.md", "1"), put("b.md", "b")]);
  await apply(space.engine, [put("a.md", "2")]);
  // The state of the disk after a power cut: nothing was closed.
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
  // Emptying a file in normal operation is an edit like any other.
  space.byHand("b.md", "");
  await space.reopen();
  expect((await space.states())[1]).toBe("b.md v1 modified");
});

test("close finishes a write that must record an edit first, and leaves nothing to do", async () => {
  await using folder = await temporaryFolder();
  const [directory, told] = [`${folder.path}/space`, [] as string[]];
  const tell = (message: string) => void told.push(message);
  const log = { ...silent, warn: tell, error: tell };
  const engine = openSqliteEngine({ directory, clock: manualClock(), log });
  await apply(engine, [put("a.md", "1")]);
  writeFileSync(`${directory}/a.md`, "by hand");
  const many = Array.from({ length: 20 }, (_, index) => put(`d/${index}.md`, "x"));
  const writing = commit(engine, [put("a.md", "2"), ...many]);
  await engine.close();
  expect((await writing).head.seq).toBe(23);
  await Bun.sleep(2 * CALM_MS);
  expect(told).toEqual([]);
  expect([readFileSync(`${directory}/a.md`, "utf8"), readdirSync(`${directory}/d`).length]).toEqual([
    "2",
    20,
  ]);
});

test("a file becomes a directory and back while the tree has followed only partly", async () => {
  await using space = await bench();
  const { engine } = space;
  await apply(engine, [put("p", "1"), put("q/x.md", "1")]);
  await commit(engine, [remove("p"), put("p/x.md", "1"), remove("q/x.md"), put("q", "1")]);
  await commit(engine, [remove("p/x.md"), put("p", "2"), remove("q"), put("q/x.md", "2")]);
  engine.settle(at("p"));
  engine.settle(at("q/x.md"));
  await commit(engine, [remove("p"), put("p/x.md", "3")]);
  await commit(engine, [remove("q/x.md"), put("q", "3")]);
  expect(engine.treeBehind()).toEqual([]);
  expect([space.shown("p/x.md"), space.shown("q")]).toEqual(["3", "3"]);
});

test("after a crash, writes a file into a directory that was a file immediately", async () => {
  await using space = await bench();
  await using folder = await temporaryFolder();
  const { engine, clock } = space;
  await apply(engine, [put("p/x.md", "1")]);
  await apply(engine, [remove("p/x.md"), put("p", "1")]);
  await commit(engine, [remove("p"), put("p/x.md", "2")]);
  expect(space.shown("p")).toBe("1");
  const directory = `${folder.path}/space`;
  cpSync(space.directory, directory, { recursive: true });
  const again = openSqliteEngine({ directory, clock, log: silent });
  expect([again.treeBehind(), readFileSync(`${directory}/p/x.md`, "utf8")]).toEqual([[], "2"]);
  await again.close();
});
