// Goal: a person who loses the right to see a run of a gear gets nothing more of it. The run continues, and is recorded.

import { expect, test } from "bun:test";
import { eventually } from "../kit/eventually.ts";
import { gate } from "../kit/model/index.ts";
import { refusal } from "../kit/http/refusal.ts";
import { approvedGear, isolatedSandbox, makeGear } from "../kit/service/gears.ts";
import { type World, world } from "../kit/service/world.ts";

const losses = [
  {
    name: "their tokens are revoked",
    take: (at: World, { ann }: { ann: number }) => at.admin.delete(`/users/${ann}/tokens`),
    code: "unauthenticated",
  },
  {
    name: "they leave the team that sees the workspace",
    take: (at: World, { ann, team }: { ann: number; team: number }) =>
      at.admin.delete(`/teams/${team}/members/${ann}`),
    code: "not_found",
  },
  {
    name: "the workspace is deleted",
    take: (at: World) => at.admin.delete(at.own),
    code: "not_found",
  },
] as const;

test.each(losses)("ends the stream and withholds the answer of a run when $name", async ({ take, code }) => {
  const held = gate();
  const sandbox = isolatedSandbox(async ({ output }) => {
    output("stdout", new TextEncoder().encode("before\n"));
    await held.opened;
    output("stdout", new TextEncoder().encode("after\n"));
    return {};
  });
  await using at = await world({ sandbox, model: true });
  const ann = await at.user("ann");
  const team = await at.team("crew", ann);
  await at.admin.put(`${at.own}/teams/${team}`);
  const gear = await approvedGear(at.admin);
  const body = { workspace_id: at.workspaceId };
  const answer = ann.post(`/gears/${gear.id}/run`, body);
  await using reader = await ann.events(`/gears/${gear.id}/run`, { method: "POST", body });
  await reader.until(({ type }) => type === "output");
  await eventually(() => sandbox.requests.length, 2);
  await take(at, { ann: ann.id, team });
  const seen = (await reader.all()).map(({ type }) => type);
  held.open();
  expect(seen).toEqual(["started", "output"]);
  await refusal(answer, code);
  const runs = await at.admin.get(`/gears/${gear.id}/runs`);
  expect(runs.map(({ status }) => status)).toEqual(["done", "done"]);
});

test("withholds the report of stored tests when the caller's tokens are revoked during the last one", async () => {
  const held = gate();
  const sandbox = isolatedSandbox(async () => {
    await held.opened;
    return {};
  });
  await using at = await world({ sandbox });
  const ann = await at.user("ann");
  const gear = await makeGear(ann, { tests: [{ name: "one", args: {}, expected: "{}" }] });
  const report = ann.post(`/gears/${gear.id}/tests/run`);
  await eventually(() => sandbox.requests.length, 1);
  await at.admin.delete(`/users/${ann.id}/tokens`);
  held.open();
  await refusal(report, "unauthenticated");
});
