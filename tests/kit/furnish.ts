// Gives a running service a provider, models and a workspace whose model is scripted: the same for a service in this process and for
// the compiled program.

import type { Client } from "./client.ts";
import type { ScriptedModel } from "./model/index.ts";
import { type Protocol } from "./world.ts";

export const PROVIDER_KEY = "canary-provider-key-8fJ2kLq9";

export interface Furnished {
  readonly workspaceId: number;
  readonly orchestratorId: number;
}

/** Models `boss` (the orchestrator's) and `worker`. */
export async function furnish(
  admin: Client,
  model: ScriptedModel,
  protocol: Protocol = "anthropic",
): Promise<Furnished> {
  const base_url = protocol === "anthropic" ? model.anthropicUrl : model.openaiUrl;
  const provider = await admin.post("/providers", {
    name: `scripted ${protocol}`,
    type: protocol,
    base_url,
    api_key: PROVIDER_KEY,
  });
  const add = (model_name: string) => admin.post("/models", { provider_id: provider.id, model_name });
  const boss = await add("boss");
  await add("worker");
  const workspace = await admin.post("/workspaces", {
    name: `lab ${protocol}`,
    orchestrator_model_id: boss.id,
  });
  const [orchestrator] = await admin.get(`/workspaces/${workspace.id}/agents`);
  return { workspaceId: workspace.id, orchestratorId: orchestrator!.id };
}
