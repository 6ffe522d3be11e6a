// Goal: lists of the library are complete however many there are and however long their texts, also after an upgrade.

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { INSTRUCTION_CHARACTERS_MAX, VERSIONS_PAGE_BYTES_MAX } from "../../src/service/library/schema.ts";
import { call, say } from "../kit/model/index.ts";
import { withoutLibraryLists } from "../kit/service/earlier-build.ts";
import { world } from "../kit/service/world.ts";

const MANY = 1_001;
const AT_ONCE = 50;
const LONG = "é".repeat(INSTRUCTION_CHARACTERS_MAX);

test("lists every instruction by name, over several pages, and tells an agent how many it does not show", async () => {
  await using at = await world({ model: true });
  const names = Array.from({ length: MANY }, (_, index) => `n${String(index).padStart(4, "0")}`);
  const left = names.toReversed();
  while (left.length > 0)
    await Promise.all(
      left.splice(0, AT_ONCE).map((name) => at.admin.post("/instructions", { name, text: name })),
    );
  const listed = await at.admin.get("/instructions");
  expect(listed.map(({ name }) => name)).toEqual(names);
  expect(listed[0]).toEqual({
    id: expect.any(Number),
    name: "n0000",
    version: 1,
    author_id: expect.any(Number),
    author: "admin",
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  at.model.script("boss", [call("instruction_list", {}), say("Done.")]);
  const place = await at.place("reading");
  await place.chat("What is there?");
  const { messages } = at.model.requestsOf("boss").at(-1)!;
  expect(JSON.stringify(messages)).toContain(`(${MANY - 300} more are not shown;`);
});

test("a page of versions ends at a size, and pages lead to the first version", async () => {
  await using at = await world();
  const { id } = await at.admin.post("/instructions", { name: "long", text: LONG });
  for (let version = 2; version <= 12; version += 1)
    await at.admin.put(`/instructions/${id}`, { text: `${version}${LONG.slice(2)}` });
  const page = async (query: string) =>
    (await at.admin.get(`/instructions/${id}/versions${query}`)).map(({ version }) => version);
  expect(Math.floor(VERSIONS_PAGE_BYTES_MAX / (2 * INSTRUCTION_CHARACTERS_MAX))).toBe(5);
  expect(await page("")).toEqual([8, 9, 10, 11, 12]);
  expect(await page("?before=8")).toEqual([3, 4, 5, 6, 7]);
  expect(await page("?before=3")).toEqual([1, 2]);
  expect(await page("?before=1")).toEqual([]);
  expect(await page("?limit=2")).toEqual([11, 12]);
});

test("lists proposals of an earlier build with their length, and those of every workspace in order", async () => {
  await using at = await world({ model: true });
  const place = await at.place("writing");
  const saves = Array.from({ length: 12 }, (_, index) =>
    call("instruction_save", { name: `p${index}`, text: `👍${"x".repeat(index)}` }),
  );
  at.model.script("boss", [saves, say("Done.")]);
  await place.chat("Write them.");
  const lengths = async () => (await at.admin.get("/approvals")).map(({ facts }) => facts[0]);
  const expected = saves.map((_, index) => `It is a new instruction, ${index + 1} characters long.`);
  expect(await lengths()).toEqual(expected);
  await at.restart((data) => {
    using db = new Database(join(data, "service.db"));
    withoutLibraryLists(db);
    db.run("DELETE FROM migrations WHERE name >= '022'");
  });
  expect(await lengths()).toEqual(expected);
  const proposals = await at.admin.get("/instruction-proposals");
  expect(proposals.map(({ name, text }) => [name, text.length])).toEqual(
    saves.map((_, index) => [`p${index}`, index + 2]),
  );
});
