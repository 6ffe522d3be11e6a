// What tests of turns do again and again: begin one without waiting, wait for its end, read what is on record, prove that the
// conversation still works.

import { expect } from "bun:test";
import { say } from "./model/index.ts";
import type { Client } from "./client.ts";
import type { TurnView, Workplace } from "./workplace.ts";

/** Waits of milliseconds where a real provider gets minutes. */
export const QUICK = { firstByteMs: 300, silenceMs: 300, retryWaitsMs: [1, 1] };

/** What every agent has, in the order in which it is offered; `delegate` comes before them, and only along a wire. */
export const WORKER_TOOLS = [
  "file_list",
  "file_read",
  "file_write",
  "instruction_list",
  "instruction_read",
  "instruction_save",
  "gear_list",
  "gear_forge",
];

/** What an orchestrator without workers has. */
export const ORCHESTRATOR_TOOLS = [
  "agent_create",
  "agent_update",
  "agent_remove",
  "agent_list",
  "model_list",
  "wire_create",
  "wire_remove",
  ...WORKER_TOOLS,
  "gear_grant",
  "gear_revoke",
];

export interface EntryView {
  id: number;
  turn_id: number;
  run_id: number;
  agent_id: number;
  thread: number;
  kind: "person" | "task" | "agent" | "tool";
  text: string;
  calls: { id: string; name: string; arguments: string }[];
  call_id: string | null;
  tool: string | null;
  outcome: string | null;
  duration_ms: number | null;
  partial: boolean;
  forgotten: boolean;
}

export interface CallView {
  id: number;
  agent_id: number;
  run_id: number;
  round: number;
  status: string;
  attempts: number;
  finish: string | null;
  error: string | null;
  input_tokens: number | null;
  cached_input_tokens: number | null;
  output_tokens: number | null;
  cost: number | null;
}

/** Starts a turn and answers with its record at once. */
export async function begin(
  lab: Workplace,
  text: string,
  fields: Record<string, unknown> = {},
): Promise<TurnView> {
  const answer = await lab.admin.post<{ turn: TurnView }>(`/workspaces/${lab.workspaceId}/chat`, {
    text,
    ...fields,
  });
  return answer.turn;
}

/** The record of a turn when it is over. */
export async function end(client: Client, turnId: number): Promise<TurnView> {
  await using reader = await client.events(`/turns/${turnId}/events`);
  await reader.all();
  return client.get(`/turns/${turnId}`);
}

export function entriesOf(lab: Workplace): Promise<EntryView[]> {
  return lab.admin.get(`/workspaces/${lab.workspaceId}/entries?limit=500`);
}

/** Kind and words of the conversation with the orchestrator. */
export async function conversationOf(lab: Workplace): Promise<string[]> {
  const entries = await entriesOf(lab);
  return entries
    .filter((entry) => entry.thread === 0)
    .map((entry) => `${entry.kind}${entry.partial ? " (partial)" : ""}: ${entry.text}`);
}

export function callsOf(lab: Workplace, turnId: number): Promise<CallView[]> {
  return lab.admin.get(`/turns/${turnId}/calls`);
}

/** Whatever happened before: the next turn is accepted by both protocols' rules and ends well. */
export async function expectNextTurnWorks(lab: Workplace, model = "boss"): Promise<void> {
  lab.model.script(model, [say("fine again")]);
  const { turn } = await lab.chat("and now?");
  expect(turn).toMatchObject({ status: "done", error: null });
  expect(lab.model.problems).toEqual([]);
  expect((await conversationOf(lab)).at(-1)).toBe("agent: fine again");
}
