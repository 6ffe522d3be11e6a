// Goal: a gear counts as a durable tool without isolation, because it can change anything, but not with isolation.

import { expect, test } from "bun:test";
import { gearTools, type GearToolsDeps } from "../../../src/service/gears/tools.ts";
import { GearRuns, type GearRunsDeps } from "../../../src/service/gears/runs.ts";
import type { GearRow } from "../../../src/service/gears/store.ts";
import type { Caller } from "../../../src/service/identity/caller.ts";
import type { ToolScope } from "../../../src/service/tools/tool.ts";
import { refusalText } from "../../kit/http/refusal.ts";

const ROW = {
  id: 1,
  name: "echo_args",
  description: "",
  hash: "h",
  args_schema: '{"type":"object"}',
  timeout_seconds: 60,
};
const SCOPE = { workspaceId: 1, agentId: 1, orchestrator: true } as ToolScope;

function durableTools(isolated: boolean, row = ROW): string[] {
  const deps = {
    gears: { existing: () => row },
    bindings: { approvedFor: () => [1] },
    isolation: { isolated },
  };
  const tools = gearTools(deps as unknown as GearToolsDeps)(SCOPE);
  return tools.filter((tool) => tool.durable).map((tool) => tool.name);
}

test("marks as durable: forging, binding, and gears without isolation", () => {
  expect(durableTools(true)).toEqual(["gear_forge", "gear_grant", "gear_revoke"]);
  expect(durableTools(false)).toEqual(["gear_forge", "gear_grant", "gear_revoke", "echo_args"]);
});

test("does not offer a gear without isolation if it was approved to run isolated", () => {
  const row = { ...ROW, approved_isolated: 1 };
  expect(durableTools(false, row)).not.toContain("echo_args");
});

test("does not offer a gear whose name is now that of a built-in tool", () => {
  expect(durableTools(false, { ...ROW, name: "web_search" })).toEqual([
    "gear_forge",
    "gear_grant",
    "gear_revoke",
  ]);
});

test("refuses a gear that is no longer callable, inside the write that stores its run", async () => {
  const approved = { ...ROW, status: "approved" };
  const check = (row: Partial<GearRow>, bound: boolean) => {
    const sandbox = { isolated: false };
    const deps = { gears: { existing: () => approved }, bindings: { isBound: () => bound }, sandbox };
    const runs = new GearRuns(deps as unknown as GearRunsDeps);
    const call = { agentId: 1, workspaceId: 1, gearId: 1, hash: "h", args: {}, callId: "call_1" };
    const order = runs.toolOrder({} as Caller, call);
    return order.require({ ...approved, ...row } as GearRow);
  };
  const prefix = "refused: run refused; gear not executed:";
  expect(check({}, true)).toBeUndefined();
  expect(await refusalText(() => check({ status: "disabled" }, true))).toBe(
    `${prefix} "echo_args" is disabled`,
  );
  expect(await refusalText(() => check({ hash: "other" }, true))).toBe(
    `${prefix} "echo_args" was changed since it was offered to you`,
  );
  expect(await refusalText(() => check({ approved_isolated: 1 }, true))).toStartWith(
    `${prefix} "echo_args" was approved to run isolated`,
  );
  expect(await refusalText(() => check({}, false))).toBe(`${prefix} you are no longer bound to "echo_args"`);
});
