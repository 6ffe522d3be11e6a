// The agents' tools for gears: every agent can list and forge them, the orchestrator can grant and revoke them, and each approved gear bound to
// an agent is a tool under the gear's name.

import { Type, type Static } from "@sinclair/typebox";
import { AppError } from "../../kit/error.ts";
import { closed, oneOf } from "../../kit/schema.ts";
import { plural } from "../../kit/text/amounts.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import { runtimes } from "../config/schema.ts";
import { mayHaveRun, type SandboxResult } from "../sandbox/sandbox.ts";
import { BUILT_IN_TOOL_NAMES } from "../tools/names.ts";
import {
  databaseTool,
  failed,
  ok,
  parsingTool,
  unknown,
  type DatabaseTool,
  type ExternalTool,
  type ToolResult,
  type ToolScope,
  type ToolSource,
} from "../tools/tool.ts";
import { parseObject } from "../tools/arguments.ts";
import { parsedSchema, type ArgsChecks } from "./args-checks.ts";
import type { GearBindings } from "./bindings.ts";
import type { Gears } from "./gears.ts";
import { isIsolationLost, type Isolation } from "./isolation.ts";
import type { Ended, GearRuns } from "./runs.ts";
import { NeverStarted } from "./run-queue.ts";
import { GEAR_NAME_PATTERN, GEAR_TESTS_MAX, GearTest, TOOL_TEXT_CHARACTERS_MAX } from "./schema.ts";
import type { GearRow } from "./store.ts";

/** Limit of gear_list; the first by name are shown. */
const GEARS_LISTED_MAX = 200;

export interface GearToolsDeps {
  gears: Gears;
  argsChecks: ArgsChecks;
  bindings: GearBindings;
  runs: GearRuns;
  blueprint: Blueprint;
  isolation: Isolation;
}

const NoInput = closed({});
const ForgeInput = closed({
  name: Type.String({ description: `Becomes the tool's name: ${GEAR_NAME_PATTERN}` }),
  description: Type.String({
    description: "What it does and when to use it, for the agents that call it",
  }),
  runtime: oneOf(runtimes.filter((runtime) => runtime !== "binary")),
  code: Type.String({
    description:
      "The program. Arguments arrive as JSON on stdin; its stdout is the result. No network, and no packages beyond the runtime's own",
  }),
  args_schema: Type.String({
    description:
      'A JSON Schema document as text; its root has "type": "object". A property with "x-file": true holds the path of a workspace file, which the program finds read-only under inputs/<path>',
  }),
  tests: Type.Optional(
    Type.Array(GearTest, {
      maxItems: GEAR_TESTS_MAX,
      description: "Example arguments with the exact stdout expected (or the same JSON value)",
    }),
  ),
});
const BindInput = closed({
  gear: Type.String({ description: "Name of a gear, as gear_list shows it" }),
  agent: Type.Optional(
    Type.String({ description: "Name of an agent of this workspace; default: all agents" }),
  ),
});

export function gearTools(deps: GearToolsDeps): ToolSource {
  const everyone = [listTool(deps), forgeTool(deps)];
  const orchestrator = [grantTool(deps), revokeTool(deps)];
  return (scope) => [
    ...everyone,
    ...(scope.orchestrator ? orchestrator : []),
    ...callable(deps, scope).map((row) => callTool(deps, row)),
  ];
}

/** Excludes a gear whose name has since become that of a built-in tool, and one that would be refused for lack of isolation. */
function callable({ gears, bindings, isolation }: GearToolsDeps, scope: ToolScope): GearRow[] {
  return bindings
    .approvedFor(scope.workspaceId, scope.agentId)
    .map((id) => gears.existing(id))
    .filter((row) => !BUILT_IN_TOOL_NAMES.has(row.name) && !isIsolationLost(row, isolation));
}

function listTool(deps: GearToolsDeps): DatabaseTool {
  return databaseTool({
    name: "gear_list",
    description:
      "Lists all gears (small programs) with their status and their callers in this workspace. Only approved gears that are bound to you are your tools.",
    parameters: NoInput,
    apply: (scope) => {
      const { gears, bindings, blueprint, isolation } = deps;
      const names = new Map(blueprint.agentsOf(scope.workspaceId).map((agent) => [agent.id, agent.name]));
      const bound = bindings.ofWorkspace(scope.workspaceId);
      const mine = new Set(callable(deps, scope).map((row) => row.id));
      const shown = gears.first(GEARS_LISTED_MAX).map((gear) => ({
        name: gear.name,
        description: describedTo(scope, gear),
        runtime: gear.runtime,
        version: gear.version,
        status: isIsolationLost(gear, isolation) ? "approved, but not without isolation" : gear.status,
        bound_to: bound
          .filter((each) => each.gear_id === gear.id)
          .map((each) => (each.agent_id === null ? "all agents" : names.get(each.agent_id))),
        you_can_call_it: mine.has(gear.id),
      }));
      const more = gears.count - shown.length;
      return ok(
        JSON.stringify(shown) +
          (more > 0 ? `\n(${plural(more, "more gear is", "more gears are")} not shown)` : ""),
      );
    },
  });
}

/** A description is prompt text, so an agent must not read an unapproved one written outside its workspace. */
function describedTo({ workspaceId, caller }: ToolScope, gear: GearRow): string {
  const isOurs = gear.workspace_id === workspaceId || gear.author_id === caller.userId;
  return gear.status === "approved" || isOurs ? gear.description : "(shown once it is approved)";
}

function forgeTool({ gears, bindings, blueprint }: GearToolsDeps): DatabaseTool {
  return databaseTool({
    name: "gear_forge",
    description:
      "Writes a new gear: a small program that becomes your tool once a person approves it. Until then it does not run. Forging again under the name of a gear that was forged in this workspace saves a new version, which needs a new approval.",
    parameters: ForgeInput,
    durable: true,
    check: ({ caller }, input) => gears.requireSchema(caller, input.args_schema),
    apply: (scope, input) => {
      requirePresent(blueprint, scope);
      const known = gears.byName(input.name);
      const bind = (gearId: number) => {
        if (!bindings.isBound({ ...scope, gearId }))
          bindings.bindIn(scope.caller, scope.workspaceId, gearId, scope.agentId);
      };
      const forge = { agent: scope.agentName, workspaceId: scope.workspaceId, bind };
      const row = known
        ? reforge({ gears, bind }, scope, known, input)
        : gears.createIn(scope.caller, input, forge);
      return ok(
        `Gear "${row.name}" version ${row.version} is saved and bound to you. It is pending approval by a person; until then you cannot call it. Tell the person so.`,
      );
    },
  });
}

/** An agent that a person deletes goes on until its answer. Raises `conflict`, because its gear would be bound to nobody. */
function requirePresent(blueprint: Blueprint, { agentId, agentName }: ToolScope): void {
  if (blueprint.agentById(agentId) === undefined)
    throw new AppError("conflict", `"${agentName}" was deleted from this workspace`);
}

function reforge(
  { gears, bind }: { gears: Gears; bind: (gearId: number) => void },
  scope: ToolScope,
  known: GearRow,
  input: Static<typeof ForgeInput>,
): GearRow {
  if (known.forged_by !== null && known.workspace_id === scope.workspaceId) {
    bind(known.id);
    return gears.saveIn(scope.caller, known.id, input);
  }
  throw new AppError(
    "conflict",
    `a gear named "${known.name}" already exists and was not forged in this workspace; choose another name`,
  );
}

function grantTool({ gears, bindings, blueprint }: GearToolsDeps): DatabaseTool {
  return databaseTool({
    name: "gear_grant",
    description:
      "Binds a gear to an agent, or to all agents of this workspace. They can call it as soon as it is approved.",
    parameters: BindInput,
    durable: true,
    apply: (scope, input) => {
      const gear = findGear(gears, input.gear);
      const agent =
        input.agent === undefined ? undefined : blueprint.agentNamed(scope.workspaceId, input.agent);
      bindings.bindIn(scope.caller, scope.workspaceId, gear.id, agent?.id ?? null);
      const state =
        gear.status === "approved"
          ? "can call it now"
          : `can call it once a person has approved it (it is ${gear.status})`;
      return ok(`Bound gear "${gear.name}": ${agent ? `"${agent.name}"` : "all agents"} ${state}.`);
    },
  });
}

function revokeTool({ gears, bindings, blueprint }: GearToolsDeps): DatabaseTool {
  return databaseTool({
    name: "gear_revoke",
    description:
      "Removes the binding of a gear to an agent, or, without agent, the binding to all agents of this workspace.",
    parameters: BindInput,
    durable: true,
    apply: (scope, input) => {
      const gear = findGear(gears, input.gear);
      const agent =
        input.agent === undefined ? undefined : blueprint.agentNamed(scope.workspaceId, input.agent);
      const whom = agent ? `"${agent.name}"` : "all agents";
      const binding = bindings.between(scope.workspaceId, gear.id, agent?.id ?? null);
      if (!binding)
        throw new AppError(
          "not_found",
          `gear "${gear.name}" is not bound to ${whom}; gear_list shows who it is bound to`,
        );
      bindings.unbindIn(scope.caller, binding.id);
      return ok(`Gear "${gear.name}" is no longer bound to ${whom}.`);
    },
  });
}

/** Without isolation, a gear can change anything on the server, so it counts as durable. */
function callTool({ runs, argsChecks, isolation }: GearToolsDeps, row: GearRow): ExternalTool {
  const gear = { id: row.id, hash: row.hash };
  const face = {
    name: row.name,
    description: row.description === "" ? `The gear ${row.name}.` : row.description,
    parameters: parsedSchema(row.args_schema),
    durable: !isolation.isolated,
  };
  return parsingTool(face, parseObject, {
    run: async ({ caller, agentId, workspaceId }, input, ports) => {
      const args = await argsChecks.parse(caller, row.args_schema, input);
      if (!args.ok) return failed(args.problem);
      await runs.ready();
      const { id: gearId, hash } = gear;
      const call = { agentId, workspaceId, gearId, hash, args: args.value, callId: ports.callId };
      const order = runs.toolOrder(caller, call);
      try {
        const ended = await runs.execute(order, ports.output, { cancel: ports.signal });
        return toolResult(ended, row.timeout_seconds, ports.signal);
      } catch (error) {
        if (error instanceof NeverStarted)
          return { outcome: "cancelled", text: "Stopped before it began; the gear did not run." };
        if (mayHaveRun(error)) return unknown(error.message);
        throw error;
      }
    },
  });
}

/** The text is stdout, followed by notes if there are any. */
function toolResult({ runId, result }: Ended, timeoutSeconds: number, signal: AbortSignal): ToolResult {
  const notes = [
    ...notesOf(result, timeoutSeconds),
    ...(result.stderr.trim() === "" ? [] : [`stderr: ${cut(result.stderr, runId)}`]),
  ];
  const text = [cut(result.stdout, runId), ...notes.map((note) => `[${note}]`)]
    .filter((part) => part !== "")
    .join("\n");
  if (signal.aborted && !result.timedOut && result.exitCode !== 0)
    return { outcome: "cancelled", text: `${text}\n[the gear was stopped while running]`.trim() };
  return result.exitCode === 0 && !result.timedOut ? ok(text) : failed(text);
}

function notesOf(result: SandboxResult, timeoutSeconds: number): string[] {
  const notes: string[] = [];
  if (result.timedOut) notes.push(`the gear was stopped after ${timeoutSeconds} s: it timed out`);
  else if (result.exitCode !== 0) notes.push(`exit code ${result.exitCode}`);
  if (result.truncated) notes.push("the output exceeded the limit: its end is missing");
  return notes;
}

function cut(text: string, runId: number): string {
  if (text.length <= TOOL_TEXT_CHARACTERS_MAX) return text;
  const kept = text.slice(0, TOOL_TEXT_CHARACTERS_MAX).toWellFormed();
  return `${kept}\n[truncated: ${text.length - TOOL_TEXT_CHARACTERS_MAX} more characters are in the record of gear run ${runId}]`;
}

function findGear(gears: Gears, name: string): GearRow {
  const found = gears.byName(name.trim());
  if (found) return found;
  throw new AppError("not_found", `there is no gear named "${name}"; gear_list lists them`);
}
