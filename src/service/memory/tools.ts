// Agents' memory tools, and the orchestrator's tools to bind documents. Every document is named `shared/…` (all agents of the workspace) or `mine/…`
// (only this agent); the rest of the space cannot be named. Writes are by compare-and-swap, signed by the agent.

import { Type } from "@sinclair/typebox";
import type { Clock } from "../../kit/clock.ts";
import { AppError, fieldError } from "../../kit/error.ts";
import { closed } from "../../kit/schema.ts";
import { characterStart } from "../../kit/text/characters.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import { plural } from "../../kit/text/amounts.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import { databaseTool, externalTool, failed, ok, unknown } from "../tools/tool.ts";
import type { DatabaseTool, ExternalTool, ToolResult, ToolScope, ToolSource } from "../tools/tool.ts";
import type { Access } from "../workspaces/access.ts";
import type { ContextBindings } from "./bindings.ts";
import { MINE, nameOf, pathOf, SHARED, type AgentBranches, type Branches } from "./branches.ts";
import { recall, type Recalled } from "./recall.ts";
import { MEMORY_DOCUMENT_BYTES_MAX, SEARCH_CHARACTERS_MAX } from "./schema.ts";
import { isUnreachable, type MemorySpace } from "./space.ts";
import type { MemoryWrites } from "./writes.ts";

/** About 8,000 tokens: a longer document comes in parts. */
const READ_CHARACTERS_MAX = 32_000;
const LISTED_MAX = 300;
const FOUND_MAX = 10;
const STALE_CHARACTERS_MAX = 16_000;

interface ToolsDeps {
  readonly space: MemorySpace;
  readonly access: Access;
  readonly branches: Branches;
  readonly bindings: ContextBindings;
  readonly writes: MemoryWrites;
  readonly blueprint: Blueprint;
  readonly clock: Clock;
}

const Name = Type.String({
  description: `${SHARED}/<path> for all agents of this workspace, or ${MINE}/<path> for you alone, for example: ${SHARED}/plan.md`,
});
const ListInput = closed({});
const ReadInput = closed({
  name: Name,
  offset: Type.Optional(
    Type.Integer({ minimum: 0, description: "Character to start at, from the previous answer; default: 0" }),
  ),
});
const WriteInput = closed({
  name: Name,
  content: Type.String({ description: "The whole new content, as Markdown" }),
  version: Type.Integer({
    minimum: 0,
    description: "The version that you read and replace; 0 for a document that does not exist yet",
  }),
});
const SearchInput = closed({
  query: Type.String({ minLength: 1, maxLength: SEARCH_CHARACTERS_MAX, description: "Words to look for" }),
});
const BindInput = closed({
  path: Type.String({ description: "Path of a document in the context space" }),
  agent: Type.Optional(Type.String({ description: "Name of one agent; default: the whole workspace" })),
});

/** None without a space: a tool is offered only if it can work. */
export function memoryTools(deps: ToolsDeps): ToolSource {
  const memory = [listTool(deps), readTool(deps), writeTool(deps), searchTool(deps)];
  const binding = [bindTool(deps), unbindTool(deps)];
  return (scope) => {
    if (!deps.space.isAvailable) return [];
    return scope.orchestrator ? [...memory, ...binding] : memory;
  };
}

/** The person must see the workspace at the moment of the access. */
async function branchesOf({ access, branches }: ToolsDeps, scope: ToolScope): Promise<AgentBranches> {
  const workspace = access.workspace(scope.caller, scope.workspaceId);
  return branches.of(workspace, { id: scope.agentId, name: scope.agentName });
}

function listTool(deps: ToolsDeps): ExternalTool {
  return externalTool({
    name: "memory_list",
    description: `Lists the documents of your memory with their versions: ${SHARED}/ and ${MINE}/.`,
    parameters: ListInput,
    run: async (scope) => {
      const own = await branchesOf(deps, scope);
      const files = await deps.space.use(async (space) => [
        ...(await space.list({ prefix: own.shared })),
        ...(await space.list({ prefix: own.own })),
      ]);
      const lines = files.flatMap(({ path, version, size, author }) => {
        const name = nameOf(own, path);
        const at = version === null ? "not recorded yet" : `version ${version}, by ${author}`;
        return name === undefined ? [] : [`${name} (${at}, ${plural(size, "byte")})`];
      });
      if (lines.length === 0) return ok("There is nothing in your memory yet.");
      const left = lines.length - LISTED_MAX;
      const more =
        left > 0 ? [`(${plural(left, "more is", "more are")} not shown; memory_search finds them.)`] : [];
      return ok([...lines.slice(0, LISTED_MAX), ...more].join("\n"));
    },
  });
}

function readTool(deps: ToolsDeps): ExternalTool {
  return externalTool({
    name: "memory_read",
    description:
      "Reads a document of your memory. The first line names its version, which memory_write asks for. A long document comes in parts.",
    parameters: ReadInput,
    run: async (scope, { name, offset = 0 }) => {
      const path = pathOf(await branchesOf(deps, scope), name);
      const { version, bytes } = await deps.space.use((space) => space.read(path));
      const text = decodeUtf8(bytes);
      if (text === undefined) throw new AppError("not_text", `${name}: not UTF-8 text`);
      return ok(`${name}, version ${version ?? "not recorded yet"}:\n\n${partOf(text, offset)}`);
    },
  });
}

/** Cuts visibly, and says where to continue. */
function partOf(text: string, offset: number): string {
  if (offset > 0 && offset >= text.length)
    throw fieldError("invalid", "offset", `beyond the end; the document has ${text.length} characters`);
  const start = characterStart(text, offset);
  const end = characterStart(text, Math.min(start + READ_CHARACTERS_MAX, text.length));
  if (start === 0 && end === text.length) return text === "" ? "(empty)" : text;
  const next =
    end < text.length ? ` To continue, call memory_read with offset ${end}.)` : " That is the end.)";
  return `${text.slice(start, end)}\n\n(These are characters ${start} to ${end} of ${text.length}.${next}`;
}

function writeTool(deps: ToolsDeps): ExternalTool {
  return externalTool({
    name: "memory_write",
    durable: true,
    description:
      "Writes a document of your memory, which outlives this conversation. Every write is a version. If someone else wrote in the meantime, nothing is written and you get the current content: merge, and write again.",
    parameters: WriteInput,
    run: (scope, input, { callId }) => written(deps, scope, callId, input),
  });
}

async function written(
  deps: ToolsDeps,
  scope: ToolScope,
  callId: string,
  { name, content, version }: { name: string; content: string; version: number },
): Promise<ToolResult> {
  if (!content.isWellFormed())
    throw fieldError("not_text", "content", "has half a character (a lone surrogate)");
  const bytes = new TextEncoder().encode(content);
  if (bytes.length > MEMORY_DOCUMENT_BYTES_MAX)
    throw fieldError("too_large", "content", `at most ${MEMORY_DOCUMENT_BYTES_MAX} bytes`);
  const path = pathOf(await branchesOf(deps, scope), name);
  const message = `turn ${scope.turnId} of workspace ${scope.workspaceId}`;
  try {
    const saved = await deps.space.use((space) => {
      // The space may have been busy; the person's access counts now.
      deps.access.workspace(scope.caller, scope.workspaceId);
      return space.write(path, bytes, version === 0 ? null : version, { agent: scope.agentName, message });
    });
    const replaced = version === 0 ? null : version;
    const { path: at, version: made } = saved;
    await deps.writes.record(scope, { call_id: callId, path: at, version: made, replaced });
    return ok(`${saved.created ? "Created" : "Saved"} ${name}, version ${saved.version}.`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "stale") return failed(await currentOf(deps, name, path));
    if (isUnreachable(error)) return unknown(error.message);
    throw error;
  }
}

async function currentOf({ space }: ToolsDeps, name: string, path: string): Promise<string> {
  const nothing = `Nothing was written: ${name} does not exist. Call memory_write with version 0 to create it.`;
  try {
    const { version, bytes } = await space.use((door) => door.read(path));
    const text = decodeUtf8(bytes) ?? "(not text)";
    const kept = text.slice(0, characterStart(text, STALE_CHARACTERS_MAX));
    const cut = kept.length < text.length ? "\n\n(cut; memory_read reads the rest)" : "";
    return `Nothing was written: ${name} is at version ${version ?? "not recorded yet"} now. Its content:\n\n${kept}${cut}`;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return nothing;
    throw error;
  }
}

function searchTool(deps: ToolsDeps): ExternalTool {
  return externalTool({
    name: "memory_search",
    description:
      "Searches your memory for words. Newer documents come first among those that match equally well.",
    parameters: SearchInput,
    run: async (scope, { query }) => {
      const own = await branchesOf(deps, scope);
      const search = { text: query, prefixes: [own.shared, own.own], limit: FOUND_MAX };
      const { results } = await deps.space.use((space) => recall(space, search, deps.clock));
      if (results.length === 0) return ok("Nothing in your memory matches.");
      return ok(results.map((found) => shown(own, found)).join("\n\n"));
    },
  });
}

function shown(own: AgentBranches, { file: { path, version }, words, ageDays, lines }: Recalled): string {
  const name = nameOf(own, path) ?? path;
  const age = ageDays === 0 ? "today" : plural(ageDays, "day old", "days old");
  const at = version === null ? "not recorded yet" : `version ${version}`;
  return [
    `${name} (${at}, ${age}; matches ${words.join(", ")})`,
    ...lines.map(({ line, text }) => `  ${line}: ${text.trim()}`),
  ].join("\n");
}

function bindTool({ bindings, blueprint }: ToolsDeps): DatabaseTool {
  return databaseTool({
    name: "context_bind",
    durable: true,
    description:
      "Puts a document of the context space into the prompts of this workspace, or of one agent, from the next turn on.",
    parameters: BindInput,
    apply: (scope, { path, agent }) => {
      const agent_id = agent === undefined ? null : blueprint.agentNamed(scope.workspaceId, agent).id;
      const bound = bindings.bindIn(scope.caller, scope.workspaceId, { path, agent_id });
      return ok(`Bound ${bound.path} to ${agent === undefined ? "the workspace" : `"${agent}"`}.`);
    },
  });
}

function unbindTool({ bindings, blueprint }: ToolsDeps): DatabaseTool {
  return databaseTool({
    name: "context_unbind",
    durable: true,
    description: "Takes a document out of the prompts of this workspace, or of one agent.",
    parameters: BindInput,
    apply: (scope, { path, agent }) => {
      const agentId = agent === undefined ? null : blueprint.agentNamed(scope.workspaceId, agent).id;
      bindings.unbindIn(scope.caller, scope.workspaceId, path, agentId);
      return ok(`${path} is no longer bound to ${agent === undefined ? "the workspace" : `"${agent}"`}.`);
    },
  });
}
