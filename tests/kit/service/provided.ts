// Workspaces whose orchestrators think with one model, in a service that no world started.

import type { Workspace } from "../../../src/service/workspaces/schema.ts";
import type { Client } from "../http/client.ts";

/** Adds a provider at this address with the model `m`, and creates a workspace of each name. */
export async function providedWorkspaces<const Names extends readonly string[]>(
  client: Client,
  base_url: string,
  ...names: Names
): Promise<{ [Index in keyof Names]: Workspace }> {
  const { id: provider_id } = await client.post("/providers", {
    name: "p",
    type: "openai-compatible",
    base_url,
    api_key: "k",
  });
  const { id: orchestrator_model_id } = await client.post("/models", { provider_id, model_name: "m" });
  const workspaces: Workspace[] = [];
  for (const name of names)
    workspaces.push(await client.post("/workspaces", { name, orchestrator_model_id }));
  return workspaces as { [Index in keyof Names]: Workspace };
}
