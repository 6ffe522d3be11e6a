// A service with a scripted model behind it, a provider for each protocol, and a workspace: where most tests of turns begin.

import { startModel } from "./model/index.ts";
import type { Client, StreamEvent } from "./client.ts";
import { testService, type TestService, type TestServiceOptions } from "./service.ts";

export type Protocol = "anthropic" | "openai-compatible";
export const protocols: readonly Protocol[] = ["anthropic", "openai-compatible"];

export interface Workplace extends AsyncDisposable {
  readonly model: Awaited<ReturnType<typeof startModel>>;
  readonly at: TestService;
  readonly admin: Client;
  readonly workspaceId: number;
  readonly orchestratorId: number;
  /** Adds a catalogue entry for a scripted model; the name is what scripts are keyed by. */
  addModel(name: string, fields?: Record<string, unknown>): Promise<number>;
  /** Adds a worker, wired from the orchestrator. */
  addWorker(name: string, modelName?: string): Promise<number>;
  /** Sends a message and waits for the end of the turn. */
  chat(text: string): Promise<{ events: StreamEvent[]; turn: TurnView }>;
}

export interface TurnView {
  id: number;
  status: string;
  error: string | null;
}

export const KEY = "canary-key-8fJ2kLq9";

export async function workplace(
  protocol: Protocol = "anthropic",
  options: TestServiceOptions = {},
): Promise<Workplace> {
  const model = await startModel({ key: KEY });
  const at = await testService(options);
  const { admin } = at;
  const baseUrl = protocol === "anthropic" ? model.anthropicUrl : model.openaiUrl;
  const provider = await admin.post("/providers", {
    name: "scripted",
    type: protocol,
    base_url: baseUrl,
    api_key: KEY,
  });
  const addModel = async (name: string, fields: Record<string, unknown> = {}) =>
    (await admin.post("/models", { provider_id: provider.id, model_name: name, ...fields })).id;
  const bossModel = await addModel("boss");
  const workspace = await admin.post("/workspaces", {
    name: "lab",
    orchestrator_model_id: bossModel,
  });
  const [orchestrator] = await admin.get(`/workspaces/${workspace.id}/agents`);
  return {
    model,
    at,
    admin,
    workspaceId: workspace.id,
    orchestratorId: orchestrator!.id,
    addModel,
    async addWorker(name, modelName = name) {
      const modelId = await addModel(modelName);
      const agent = await admin.post(`/workspaces/${workspace.id}/agents`, {
        name,
        role: `You are ${name}.`,
        model_id: modelId,
      });
      await admin.post(`/workspaces/${workspace.id}/wires`, {
        from_agent_id: orchestrator!.id,
        to_agent_id: agent.id,
      });
      return agent.id;
    },
    async chat(text) {
      const reader = await admin.events(`/workspaces/${workspace.id}/chat`, {
        method: "POST",
        body: { text },
      });
      const events = await reader.all();
      const finished = events.findLast((event) => event.type === "turn.finished");
      if (!finished) throw new Error("the turn did not finish");
      return { events, turn: (finished.data as { data: { turn: TurnView } }).data.turn };
    },
    async [Symbol.asyncDispose]() {
      await at[Symbol.asyncDispose]();
      await model.stop();
    },
  };
}
