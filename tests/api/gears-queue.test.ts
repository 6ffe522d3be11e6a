// Goal: runs of gears over the limit are queued and checked again when they begin; a queued run whose caller leaves does not run.

import { expect, test } from "bun:test";
import { approvedGear, heldSandbox } from "../kit/service/gears.ts";
import { GEAR_RUNS_AT_ONCE_MAX } from "../../src/service/gears/schema.ts";
import { world } from "../kit/service/world.ts";

const NUMBER_ARGS = JSON.stringify({
  type: "object",
  properties: { n: { type: "integer" } },
  required: ["n"],
  additionalProperties: false,
});

const QUEUED = { type: "queued", data: { running: GEAR_RUNS_AT_ONCE_MAX } };

test("queues runs over the limit, and refuses one that lost its approval while queued", async () => {
  const { sandbox, open, full } = heldSandbox();
  await using at = await world({ sandbox });
  const gear = await approvedGear(at.admin);
  const runs = Array.from({ length: GEAR_RUNS_AT_ONCE_MAX }, () => at.admin.post(`/gears/${gear.id}/run`));
  await full();
  await using reader = await at.admin.events(`/gears/${gear.id}/run`, { method: "POST", body: {} });
  await at.admin.patch(`/gears/${gear.id}`, { status: "disabled" });
  open();
  expect((await Promise.all(runs)).map((result) => result.exit_code)).toEqual(runs.map(() => 0));
  expect((await reader.all()).map(({ type, data }) => ({ type, data: data as unknown }))).toEqual([
    QUEUED,
    {
      type: "error",
      data: {
        message: "run refused; gear not executed: an admin has disabled it",
        code: "forbidden",
        request_id: expect.any(String),
      },
    },
  ]);
  expect(sandbox.requests).toHaveLength(GEAR_RUNS_AT_ONCE_MAX);
});

test("does not run a gear that was changed and approved again while a run was queued", async () => {
  const { sandbox, open, full } = heldSandbox();
  await using at = await world({ sandbox });
  const gear = await approvedGear(at.admin);
  const runs = Array.from({ length: GEAR_RUNS_AT_ONCE_MAX }, () => at.admin.post(`/gears/${gear.id}/run`));
  await full();
  await using reader = await at.admin.events(`/gears/${gear.id}/run`, { method: "POST", body: {} });
  await at.admin.put(`/gears/${gear.id}`, { args_schema: NUMBER_ARGS });
  await at.admin.patch(`/gears/${gear.id}`, { status: "approved" });
  open();
  await Promise.all(runs);
  const message = "run refused; gear not executed: the gear was changed in the meantime";
  expect((await reader.all()).map(({ type, data }) => ({ type, data: data as unknown }))).toEqual([
    QUEUED,
    { type: "error", data: { message, code: "conflict", request_id: expect.any(String) } },
  ]);
});

test("a queued run whose caller leaves is dropped; the next one takes its place", async () => {
  const { sandbox, open, full } = heldSandbox();
  await using at = await world({ sandbox });
  const gear = await approvedGear(at.admin);
  const run = (who: string) =>
    at.admin.events(`/gears/${gear.id}/run`, { method: "POST", body: { args: { who } } });
  const before = Array.from({ length: GEAR_RUNS_AT_ONCE_MAX }, () => at.admin.post(`/gears/${gear.id}/run`));
  await full();
  const leaves = await run("leaves");
  await leaves.until(({ type }) => type === "queued");
  const hangingUp = new AbortController();
  const hangsUp = at.admin.raw("POST", `/gears/${gear.id}/run`, {
    body: { args: { who: "hangs up" } },
    signal: hangingUp.signal,
  });
  await using stays = await run("stays");
  await stays.until(({ type }) => type === "queued");
  await leaves[Symbol.asyncDispose]();
  hangingUp.abort();
  await expect(hangsUp).rejects.toThrow();
  await at.admin.get(`/gears/${gear.id}`);
  open();
  expect((await stays.all()).map(({ type }) => type)).toContain("result");
  await Promise.all(before);
  expect(sandbox.requests.slice(GEAR_RUNS_AT_ONCE_MAX).map(({ stdin }) => stdin)).toEqual([
    '{"who":"stays"}',
  ]);
});

test("a queued run reads its files when it begins, not while it waits", async () => {
  const { sandbox, open, full } = heldSandbox();
  await using at = await world({ sandbox, model: true });
  const gear = await approvedGear(at.admin);
  const save = (text: string) => at.admin.raw("PUT", `${at.own}/file?path=notes.txt`, { body: text });
  await save("when it was queued");
  const before = Array.from({ length: GEAR_RUNS_AT_ONCE_MAX }, () => at.admin.post(`/gears/${gear.id}/run`));
  await full();
  const body = { workspace_id: at.workspaceId, files: ["notes.txt"] };
  await using run = await at.admin.events(`/gears/${gear.id}/run`, { method: "POST", body });
  await run.until(({ type }) => type === "queued");
  await save("when it begins");
  open();
  expect((await run.all()).map(({ type }) => type)).toContain("result");
  await Promise.all(before);
  const [input] = sandbox.requests.at(-1)!.inputs;
  expect(new TextDecoder().decode(input!.content)).toBe("when it begins");
});
