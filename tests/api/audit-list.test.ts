// Goal: audit records are listed with the names of their targets, filtered by time, and exported as CSV that no spreadsheet runs.

import { expect, test } from "bun:test";
import { makeGear } from "../kit/service/gears.ts";
import { manualClock } from "../kit/manual-clock.ts";
import { refusal } from "../kit/http/refusal.ts";
import { world } from "../kit/service/world.ts";

test("names targets, filters by time, and exports CSV that no spreadsheet runs", async () => {
  const clock = manualClock();
  await using at = await world({ clock });
  const { admin } = at;
  const formula = '=HYPERLINK("http://evil.test","x")';
  const team = await admin.post("/teams", { name: formula });
  clock.advance(86_400_000);
  const gear = await makeGear(admin, { name: "word_count" });
  await admin.patch(`/teams/${team.id}`, { name: `${formula}!` });
  await admin.delete(`/gears/${gear.id}`);
  await admin.delete(`/teams/${team.id}`);
  const named = async (query: string) =>
    (await admin.get(`/audit?${query}`)).map(({ action, target, target_name: name }) => [
      action,
      target,
      name,
    ]);
  // A deleted gear keeps its row; a deleted team has the name in its last record.
  expect(await named("since=2026-01-02")).toEqual([
    ["team.delete", `team:${team.id}`, `${formula}!`],
    ["gear.delete", `gear:${gear.id}`, "word_count"],
    ["team.rename", `team:${team.id}`, null],
    ["gear.create", `gear:${gear.id}`, "word_count"],
  ]);
  expect(await named("until=2026-01-02&action=team.create")).toEqual([
    ["team.create", `team:${team.id}`, formula],
  ]);
  expect(await named("since=2026-01-03")).toEqual([]);
  const problem = "expected RFC 3339 or a date, like 2026-11-21";
  for (const path of ["/audit?since=yesterday", "/audit/export?since=yesterday"])
    await refusal(admin.get(path as "/audit"), "invalid", `query parameter since: ${problem}`, {
      in: "query",
      field: "since",
      problem,
    });
  const answer = await admin.raw("GET", "/audit/export?action=team.create");
  expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(answer.headers.get("content-disposition")).toBe('attachment; filename="audit.csv"');
  const [header, line, ...rest] = (await answer.text()).split("\r\n");
  expect(header).toBe(
    "seq,time,actor,role,auth,address,action,target,target_name,detail,content_hash,request_id,hash",
  );
  expect(line).toContain(`,team.create,team:${team.id},"'=HYPERLINK(""http://evil.test"",""x"")",`);
  expect(rest).toEqual([""]);
  const everything = await (await admin.raw("GET", "/audit/export")).text();
  expect(everything.trimEnd().split("\r\n").length - 1).toBe((await admin.get("/audit?limit=500")).length);
  const member = await at.user("mira");
  await refusal(member.get("/audit/export" as "/audit"), "forbidden", "only an admin may do this");
});
