// Goal: the working tree shows the live versions; manual edits are seen, recorded on request, and never overwritten or hidden; links are not
// followed.

import { expect, test } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { FILE_BYTES_CEILING } from "../../../src/context/versioned-store/schema.ts";
import { Tree } from "../../../src/context/versioned-store/sqlite/tree.ts";
import { sha256Hex } from "../../../src/kit/crypto.ts";
import { adopt, applyAll, at, destroy, put, remove, text, undelete } from "../../kit/store/file-engine.ts";
import { applyAndSettle as apply, treeBench as bench } from "../../kit/store/tree-bench.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";

test("the tree shows the live files and no empty directories", async () => {
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

test("edited, new and missing files are seen with their content, even after a restart, and adopted", async () => {
  await using space = await bench();
  await apply(space.engine, [put("a.md", "1"), put("b.md", "1"), put("c.md", "1"), put("old.md", "1")]);
  await apply(space.engine, [remove("old.md")]);
  space.byHand("a.md", "by hand");
  rmSync(space.on("b.md"));
  mkdirSync(space.on("new"));
  space.byHand("new/n.md", "new");
  space.byHand("old.md", "again");
  const states = [
    "a.md v1 modified",
    "b.md v1 missing",
    "c.md v1 live",
    "new/n.md - untracked",
    "old.md - untracked",
  ];
  expect(await space.states()).toEqual(states);
  await space.reopen();
  const { engine } = space;
  expect(await space.states()).toEqual(states);
  expect((await engine.stat(at("old.md")))!.state).toBe("untracked");
  const listed = (await engine.list({ deleted: true })).map(({ state }) => state as string);
  expect(listed).toEqual(states.map((one) => one.split(" ")[2]!));
  expect([
    text(await engine.copy(at("a.md"))),
    text(await engine.read(at("a.md"))),
    text(await engine.copy(at("new/n.md"))),
  ]).toEqual(["by hand", "1", "new"]);
  const opened = async (path: string) => {
    const found = (await engine.open(at(path)))!;
    return [text(found), "version" in found ? found.version : found.state];
  };
  expect([await opened("a.md"), await opened("new/n.md"), await opened("c.md")]).toEqual([
    ["by hand", "modified"],
    ["new", "untracked"],
    ["1", 1],
  ]);
  // Concurrent reads of a file share one check of the tree; a moment later it is checked again.
  space.byHand("c.md", "edited as well");
  expect(await opened("c.md")).toEqual(["1", 1]);
  space.clock.advance(5);
  expect(await opened("c.md")).toEqual(["edited as well", "modified"]);
  space.byHand("c.md", "1");
  expect(await engine.history(at("new/n.md"))).toEqual({
    path: "new/n.md",
    tracked: false,
    current: null,
    versions: [],
  });
  // Reading records nothing.
  expect(engine.head().seq).toBe(5);
  expect(await adopt(engine)).toEqual({ adopted: ["a.md", "new/n.md", "old.md"], refused: [] });
  expect((await engine.list()).map(({ path, version }) => [path, version])).toEqual([
    ["a.md", 2],
    ["b.md", 1],
    ["c.md", 1],
    ["new/n.md", 1],
    ["old.md", 2],
  ]);
  expect(await adopt(engine)).toEqual({ adopted: [], refused: [] });
});

test("a manual edit becomes a version before it would be overwritten", async () => {
  await using space = await bench();
  const { engine } = space;
  await apply(engine, [put("a.md", "1")]);
  space.byHand("a.md", "by hand");
  const stale = "a.md: expected v1, but the current version is v2";
  const current = { version: 2, hash: sha256Hex("by hand") };
  await refusal(apply(engine, [put("a.md", "2", 1)]), "stale", stale, { path: "a.md", current });
  expect(text(await engine.read(at("a.md")))).toBe("by hand");
  expect((await engine.history(at("a.md")))!.versions[0]!.author).toBe("working tree");
  space.byHand("n.md", "new by hand");
  await apply(engine, [put("n.md", "2")]);
  expect(text(await engine.read(at("n.md"), 1))).toBe("new by hand");
  space.byHand("a.md", "again by hand");
  await apply(engine, [remove("a.md")]);
  expect(text(await engine.read(at("a.md"), 3))).toBe("again by hand");
});

test("an edit between check and commit stays in the tree, and the next write records it", async () => {
  await using space = await bench();
  const { engine } = space;
  await apply(engine, [put("a.md", "1")]);
  await apply(engine, [put("a.md", "22")], { admit: () => space.byHand("a.md", "between") });
  expect([text(await engine.read(at("a.md"))), space.shown("a.md")]).toEqual(["22", "between"]);
  expect(await space.states()).toEqual(["a.md v2 modified"]);
  await apply(engine, [put("a.md", "333")]);
  expect([text(await engine.read(at("a.md"), 3)), space.shown("a.md")]).toEqual(["between", "333"]);
});

test("links in the tree are not followed, written through or deleted through", async () => {
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
    "d - refused",
    "d/a.md v1 missing",
    "e/a.md v1 live",
    "f.md v1 missing",
    "kept/a.md - untracked",
    "planted - refused",
    "planted.md - refused",
  ]);
  const reason = "symbolic links are not followed";
  expect((await engine.list()).map(({ refused }) => refused?.reason)).toEqual([
    reason,
    undefined,
    undefined,
    reason,
    undefined,
    reason,
    reason,
  ]);
  expect([
    await engine.copy(at("d/a.md")),
    await engine.copy(at("planted.md")),
    await engine.stat(at("planted/a.md")),
  ]).toEqual([undefined, undefined, undefined]);
  expect((await engine.list({ prefix: at("d") })).map(({ state }) => state)).toEqual(["missing"]);
  expect(await engine.list({ prefix: at("planted") })).toEqual([]);
  // In place of a tracked file, the write is durable and the link stays in the tree.
  await apply(engine, [put("f.md", "2"), put("d/a.md", "2")]);
  expect(lstatSync(space.on("f.md")).isSymbolicLink()).toBe(true);
  expect(engine.treeBehind()).toEqual([at("d/a.md"), at("f.md")]);
  for (const path of ["d/new.md", "d/deep/x.md"])
    expect(await refusalOf(apply(engine, [put(path, "2")]))).toMatchObject({
      code: "conflict",
      details: { path, blocked_by: ["d"] },
    });
  await apply(engine, [remove("d/a.md")]);
  await apply(engine, [destroy("d/a.md", 1)]);
  expect(readdirSync(outside)).toEqual(["a.md"]);
  expect(readFileSync(`${outside}/a.md`, "utf8")).toBe("outside");
  expect(lstatSync(space.on("d")).isSymbolicLink()).toBe(true);
  // Once the link is gone, the next write updates the tree.
  rmSync(space.on("d"));
  rmSync(space.on("f.md"));
  await apply(engine, [put("d/new.md", "2")]);
  expect(engine.treeBehind()).toEqual([]);
  expect(["d/new.md", "d/a.md", "f.md"].map((path) => space.shown(path))).toEqual(["2", undefined, "2"]);
});

test("if the tree cannot be written, the write is durable and the path is retried on the next write and on open", async () => {
  await using space = await bench();
  await apply(space.engine, [put("a.md", "1"), put("b.md", "1"), put("n.md", "0")]);
  const block = (path: string) => {
    rmSync(space.on(path), { force: true });
    mkdirSync(space.on(`${path}/in the way`), { recursive: true });
    space.byHand(`${path}/in the way/x`, "x");
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
  // Many writes later and in another process.
  for (let count = 0; count < 20; count++) await apply(space.engine, [put("b.md", `more ${count}`)]);
  await space.reopen();
  expect(space.engine.treeBehind()).toEqual([at("a.md")]);
  rmSync(space.on("a.md"), { recursive: true });
  await space.reopen();
  expect([space.engine.treeBehind(), space.shown("a.md")]).toEqual([[], "2"]);
});

test("an old version that could not be replaced is not taken for an edit", async () => {
  await using space = await bench();
  await apply(space.engine, [put("d/a.md", "1"), put("d/b.md", "1")]);
  // Nothing can be written without the directory for temporary files, and a file in a directory of that name cannot be removed.
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
  expect(await space.states()).toEqual([`${path} - untracked`]);
  expect(text(await engine.copy(path))).toBe("by hand");
  await adopt(engine);
  expect(await space.states()).toEqual([`${path} v1 live`]);
  await apply(engine, [put(path, "2")]);
  expect(await space.states()).toEqual([`${path} v2 live`]);
  await apply(engine, [remove(path)]);
  expect(readdirSync(space.directory)).toEqual([".cairn"]);
});

test("reserved names and invalid paths are never documents", async () => {
  await using space = await bench();
  for (const directory of [".git", "a/.GIT", ".sync"]) {
    mkdirSync(space.on(directory), { recursive: true });
    space.byHand(`${directory}/config`, "x");
  }
  space.byHand(".DS_Store", "x");
  space.byHand("a/.DS_Store", "x");
  space.byHand("a/con.md", "x");
  space.byHand("a/ok.md", "x");
  expect(await space.engine.list({ prefix: at(".git") })).toEqual([]);
  const listed = (await space.engine.list()).map(({ path, state, refused }) => [path, state, refused?.code]);
  expect(listed).toEqual([
    [".DS_Store", "refused", "reserved_name"],
    [".git/", "refused", "reserved_name"],
    ["a/.DS_Store", "refused", "reserved_name"],
    ["a/.GIT/", "refused", "reserved_name"],
    ["a/con.md", "refused", "bad_name"],
    ["a/ok.md", "untracked", undefined],
  ]);
});

// Elsewhere, file systems and names are always Unicode.
test.if(process.platform === "linux")(
  "a name that is not UTF-8 is listed with the size and time of its file",
  async () => {
    await using space = await bench();
    const inSpace = (...bytes: number[]) =>
      Buffer.concat([Buffer.from(`${space.directory}/bad-`), Buffer.from(bytes)]);
    const edited = new Date("2024-02-29T12:00:00Z");
    // Two that look the same, and a directory.
    for (const name of [inSpace(0xff), inSpace(0xfe)]) {
      writeFileSync(name, "four");
      utimesSync(name, edited, edited);
    }
    mkdirSync(inSpace(0x64, 0xff));
    utimesSync(inSpace(0x64, 0xff), edited, edited);
    const listed = (await space.engine.list()).map(({ path, size, updated_at }) => ({
      path,
      size,
      updated_at,
    }));
    const updated_at = edited.toISOString();
    expect(listed).toEqual([
      { path: "bad-d\ufffd/", size: 0, updated_at },
      { path: "bad-\ufffd", size: 4, updated_at },
    ]);
  },
);

test("anything that cannot be a document is listed with the reason, and adopt records the rest", async () => {
  await using space = await bench();
  const { engine } = space;
  await apply(engine, [put("Plan.md", "1"), put("gone/a.md", "1")]);
  const undecodable = Buffer.concat([Buffer.from(`${space.directory}/bad-`), Buffer.of(0xff)]);
  writeFileSync(undecodable, "x");
  for (const name of ["plan.md", "ok.md", "twin.md", "TWIN.md", "a:b.md", "line\nbreak.md"])
    space.byHand(name, "by hand");
  mkdirSync(space.on("aux/below"), { recursive: true });
  space.byHand("aux/below/x.md", "x");
  symlinkSync("ok.md", space.on("link.md"));
  rmSync(space.on("gone"), { recursive: true });
  space.byHand("gone", "by hand");
  space.byHand("large.bin", "");
  truncateSync(space.on("large.bin"), FILE_BYTES_CEILING + 1);
  using socket = Bun.listen({ unix: space.on("socket"), socket: { data() {} } });
  const refused = [
    "a:b.md bad_name",
    "aux/ bad_name",
    "bad-\ufffd bad_encoding",
    "gone clash",
    "large.bin too_large",
    "line\nbreak.md bad_name",
    "link.md symlink",
    "plan.md clash",
    "socket not_a_file",
  ];
  const listed = (await engine.list()).filter(({ state }) => state === "refused");
  expect(listed.map(({ path, refused: why }) => `${path} ${why!.code}`)).toEqual(refused);
  // This is detected on recording: the first of two equal names is not refused.
  expect(await adopt(engine)).toEqual({
    adopted: ["TWIN.md", "ok.md"],
    refused: [...refused, "twin.md clash"].sort(),
  });
  expect(await adopt(engine)).toMatchObject({ adopted: [] });
  expect(socket.unix).toBeTruthy();
});

test("refuses a new file in the place of something without a version", async () => {
  await using space = await bench();
  const { engine } = space;
  const blocked = async (path: string) => {
    const { code, details } = await refusalOf(apply(engine, [put(path, "1")]));
    return [code, details?.["blocked_by"]];
  };
  space.byHand("file", "by hand");
  mkdirSync(space.on("folder/deep"), { recursive: true });
  space.byHand("folder/deep/x.md", "by hand");
  expect(await blocked("file/new.md")).toEqual(["conflict", ["file"]]);
  expect(await blocked("file/deep/new.md")).toEqual(["conflict", ["file"]]);
  expect(await blocked("folder")).toEqual(["conflict", ["folder/deep/x.md"]]);
  await apply(engine, [put("folder/deep/other.md", "1")]);
  expect((await blocked("folder"))[0]).toBe("conflict");
  // The tracked one leaves, but the other is still there.
  const replaced = [remove("folder/deep/other.md"), put("folder", "1")];
  expect(await refusalOf(apply(engine, replaced))).toMatchObject({
    code: "conflict",
    details: { path: "folder", blocked_by: ["folder/deep/x.md"] },
  });
  rmSync(space.on("folder/deep/x.md"));
  await apply(engine, replaced);
  expect(space.shown("folder")).toBe("1");
  expect([engine.treeBehind(), space.shown("file")]).toEqual([[], "by hand"]);
  // An empty directory contains nothing to lose.
  mkdirSync(space.on("empty/deep"), { recursive: true });
  await apply(engine, [put("empty", "1")]);
  expect(space.shown("empty")).toBe("1");
  // A file deleted a moment ago that is still on disk does not block.
  await apply(engine, [put("was/a.md", "1"), put("was/b.md", "1")]);
  await apply(engine, [remove("was/a.md"), remove("was/b.md")]);
  await apply(engine, [put("was", "1")]);
  await apply(engine, [remove("was")]);
  await apply(engine, [put("was/a.md", "2")]);
  engine.settle();
  expect([engine.treeBehind(), space.shown("was/a.md")]).toEqual([[], "2"]);
});

test("a long listing shows the final state of files that change while it pauses", async () => {
  await using space = await bench();
  const { engine } = space;
  const paths = Array.from({ length: 3_000 }, (_, index) => `${index % 10}/${index}.md`);
  await applyAll(
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

test("a space without its tree is rebuilt from its database when a new history begins", async () => {
  await using space = await bench();
  await apply(space.engine, [put("a/b.md", "1"), put("c.md", "1"), put("d.md", "1")]);
  await apply(space.engine, [remove("d.md")]);
  const { epoch } = space.engine.head();
  rmSync(space.on("a"), { recursive: true });
  rmSync(space.on("c.md"));
  space.engine.newEpoch();
  expect(space.engine.head().epoch).not.toBe(epoch);
  expect(await space.states()).toEqual(["a/b.md v1 live", "c.md v1 live"]);
  await space.reopen();
  expect(space.engine.head().epoch).not.toBe(epoch);
  expect((await space.engine.stat(at("c.md")))!.hash).toBe(sha256Hex("1"));
});

test("replaces or removes a file only in the state that was checked", async () => {
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
