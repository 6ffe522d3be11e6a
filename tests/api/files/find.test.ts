// Goal: a text is found in the files of a workspace, line by line, by who may read them, and within limits that the answer names.

import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { refusal } from "../../kit/http/refusal.ts";
import { world } from "../../kit/service/world.ts";

test("finds parts of lines, without links and files of other programs", async () => {
  await using lab = await world({ model: true, people: { ann: "member" } });
  const find = (query: string) => lab.admin.get(`${lab.own}/files/find?${query}`);
  expect(await find("q=a")).toEqual({ results: [], ended_by: null });
  const put = (path: string, body: string) =>
    lab.admin.raw("PUT", `${lab.own}/file?path=${encodeURIComponent(path)}`, { body });
  await put("notes/plan.md", "# Plan\r\n\r\nA plan of a plan.\n");
  await put("code.ts", `const x = "${"y".repeat(300)}PLAN${"z".repeat(300)}";`);
  await put("many.txt", "plan\n".repeat(7));
  const folder = join(lab.data, "files", String(lab.workspaceId));
  writeFileSync(join(folder, "picture.png"), new Uint8Array([0, 112, 108, 97, 110]));
  mkdirSync(join(folder, ".git"));
  writeFileSync(join(folder, ".git", "plan"), "plan");
  symlinkSync("/etc", join(folder, "outside"));
  const { results, ended_by } = await find("q=plan");
  expect(ended_by).toBeNull();
  expect(results.map(({ path, more_lines }) => [path, more_lines])).toEqual([
    ["code.ts", false],
    ["many.txt", true],
    ["notes/plan.md", false],
  ]);
  expect(results[2]!.lines).toEqual([
    { line: 1, text: "# Plan", ranges: [{ start: 2, end: 6 }] },
    {
      line: 3,
      text: "A plan of a plan.",
      ranges: [
        { start: 2, end: 6 },
        { start: 12, end: 16 },
      ],
    },
  ]);
  const [cut] = results[0]!.lines;
  expect([cut!.text.length, cut!.ranges.map(({ start, end }) => cut!.text.slice(start, end))]).toEqual([
    242,
    ["PLAN"],
  ]);
  expect((await find("q=PLAN&case=1")).results.map(({ path }) => path)).toEqual(["code.ts"]);
  expect(await find("q=plan&limit=1")).toMatchObject({ results: [{ path: "code.ts" }], ended_by: "results" });
  expect((await find("q=.*")).results).toEqual([]);
  await refusal(find("q="), "invalid");
  await refusal(find("q=a%0Ab"), "invalid");
  await refusal(find(`q=${"a".repeat(201)}`), "invalid");
  await refusal(lab.people.ann.get(`${lab.own}/files/find?q=plan`), "not_found");
});
