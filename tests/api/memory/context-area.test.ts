// Goal: an admin searches, deletes and restores documents of the space, reads every version, and no one else may; each works the same for a folder
// and a server.

import { describe, expect, test } from "bun:test";
import { SEARCH_CHARACTERS_MAX } from "../../../src/service/memory/schema.ts";
import { bytes } from "../../kit/store/file-engine.ts";
import { memoryKinds, memoryWorld } from "../../kit/service/memory-world.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";

const PATH = "team/style.md";
const at = <Route extends "file" | "history">(route: Route) => `/context/${route}?path=${PATH}` as const;

describe.each(memoryKinds)("the context area on a %s", (kind) => {
  test("pages the versions of a document, reads each, and restores one as a new version", async () => {
    await using memory = await memoryWorld(kind);
    const { admin } = memory.at;
    await memory.space(async (space) => {
      await space.write(PATH, bytes("one"), null, { message: "first words" });
      await space.write(PATH, bytes("two"), 1);
      await space.write(PATH, bytes("three"), 2);
    });
    const newest = await admin.get(`${at("history")}&limit=2`);
    expect(newest).toMatchObject({ path: PATH, current: 3, more: true });
    expect(newest.versions.map(({ version }) => version)).toEqual([3, 2]);
    const rest = await admin.get(`${at("history")}&limit=2&before=2`);
    expect(rest).toMatchObject({
      more: false,
      versions: [{ version: 1, message: "first words", content: true }],
    });
    expect(await admin.get(`${at("file")}&version=1`)).toMatchObject({ version: 1, text: "one" });
    await refusal(admin.get(`${at("file")}&version=9`), "not_found");
    await refusal(admin.post("/context/restore", { path: PATH, version: 1, expected_version: 2 }), "stale");
    expect(
      await admin.post("/context/restore", { path: PATH, version: 1, expected_version: 3 }),
    ).toMatchObject({ path: PATH, version: 4 });
    expect((await admin.get(at("file"))).text).toBe("one");
    const [last] = (await admin.get(at("history"))).versions;
    expect(last).toMatchObject({ version: 4, message: "restored from version 1" });
    const [record] = await admin.get("/audit?limit=1");
    expect(record).toMatchObject({ action: "context.restore", target: `context:${PATH}` });
  });

  test("deletes by version, lists and reads what is deleted, and restores it", async () => {
    await using memory = await memoryWorld(kind);
    const { admin } = memory.at;
    await memory.space((space) => space.write(PATH, bytes("kept"), null));
    const remove = (version: number) =>
      admin.raw("DELETE", at("file"), { headers: { "If-Match": `"${version}"` } });
    await refusal(await remove(2), "stale");
    expect(await (await remove(1)).json()).toEqual({ path: PATH, version: 1 });
    await refusal(admin.get(at("file")), "not_found");
    expect(await admin.get("/context/files")).toEqual([]);
    expect(await admin.get("/context/files?deleted=1")).toMatchObject([{ path: PATH, state: "deleted" }]);
    expect(await admin.get(`${at("file")}&version=1`)).toMatchObject({ text: "kept" });
    expect(await admin.get(at("history"))).toMatchObject({ current: null, versions: [{ version: 1 }] });
    expect(await admin.post("/context/restore", { path: PATH })).toMatchObject({ path: PATH });
    expect((await admin.get(at("file"))).text).toBe("kept");
    await refusal(admin.post("/context/restore", { path: PATH }), "conflict");
    await memory.space((space) => space.write(PATH, bytes("newer"), 1));
    await remove(2);
    const earlier = { path: PATH, version: 1, expected_version: null };
    expect(await admin.post("/context/restore", earlier)).toMatchObject({ version: 3 });
    expect((await admin.get(at("file"))).text).toBe("kept");
    await refusal(admin.post("/context/restore", earlier), "stale");
    await refusal(admin.post("/context/restore", { path: "none.md" }), "not_found");
  });

  test("finds documents in the whole space by words, names the matched ones, and marks them in the lines", async () => {
    await using memory = await memoryWorld(kind);
    const { admin } = memory.at;
    await memory.space(async (space) => {
      await space.write("a/sea.md", bytes("# Water\n\nThe sea is cold.\n"), null);
      await space.write("b/land.md", bytes("The land is warm.\n"), null);
    });
    const both = await admin.get("/context/search?q=cold%20sea");
    expect(both).toMatchObject({
      more: false,
      results: [{ path: "a/sea.md", version: 1, words: ["cold", "sea"] }],
    });
    const [{ line, text, ranges }] = both.results[0]!.lines as [
      { line: number; text: string; ranges: { start: number; end: number }[] },
    ];
    expect([line, ...ranges.map(({ start, end }) => text.slice(start, end))]).toEqual([3, "sea", "cold"]);
    const some = await admin.get("/context/search?q=warm%20sea");
    expect(some.results.map(({ path, words }) => [path, words]).toSorted()).toEqual([
      ["a/sea.md", ["sea"]],
      ["b/land.md", ["warm"]],
    ]);
    expect((await admin.get("/context/search?q=warm%20sea&path=b")).results).toHaveLength(1);
    expect(await admin.get("/context/search?q=mountains")).toEqual({ results: [], more: false });
  });

  test("refuses a query by its own fault, also in a space with no documents", async () => {
    await using memory = await memoryWorld(kind);
    const { admin } = memory.at;
    for (const query of ["%3F%3F", "", "x".repeat(SEARCH_CHARACTERS_MAX + 1)])
      expect(await refusalOf(admin.get(`/context/search?q=${query}`))).toMatchObject({
        code: "invalid",
        details: { in: "query", field: "q" },
      });
    const longest = "x".repeat(SEARCH_CHARACTERS_MAX);
    expect(await admin.get(`/context/search?q=${longest}`)).toEqual({ results: [], more: false });
  });

  test("is for admins only", async () => {
    await using memory = await memoryWorld(kind, { people: { ann: "team-lead" } });
    const ann = memory.at.people["ann"]!;
    for (const path of [at("history"), "/context/search?q=sea", at("file"), "/context/files"])
      await refusal(ann.get(path), "forbidden");
    await refusal(ann.post("/context/restore", { path: PATH }), "forbidden");
    await refusal(await ann.raw("DELETE", at("file")), "forbidden");
  });
});
