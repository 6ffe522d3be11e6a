// A service with a catalogue that nobody calls: for tests of people, workspaces and blueprints, where no turn runs.

import type { Agent, Wire } from "../../src/service/blueprint/schema.ts";
import type { BlueprintRecord } from "../../src/service/snapshot/schema.ts";
import type { Workspace } from "../../src/service/workspaces/schema.ts";
import type { Client } from "./client.ts";
import { testService, type TestService, type TestServiceOptions } from "./service.ts";

export interface Office extends TestService {
  readonly providerId: number;
  readonly modelId: number;
  /** Creates a workspace; as the admin unless somebody else is named. */
  workspace(name: string, owner?: Client): Promise<Workspace>;
  agent(workspaceId: number, name: string, fields?: Record<string, unknown>): Promise<Agent>;
  wire(workspaceId: number, from: number, to: number): Promise<Wire>;
  orchestrator(workspaceId: number): Promise<Agent>;
  blueprint(workspaceId: number, as?: Client): Promise<BlueprintRecord>;
  team(name: string, ...members: { id: number }[]): Promise<number>;
}

/** Nothing listens there, and nothing asks. */
const NOWHERE = "http://127.0.0.1:9";

export async function office(options: TestServiceOptions = {}): Promise<Office> {
  const at = await testService(options);
  const { admin } = at;
  const provider = await admin.post("/providers", {
    name: "nobody",
    type: "anthropic",
    base_url: NOWHERE,
  });
  const model = await admin.post("/models", {
    provider_id: provider.id,
    model_name: "silent",
  });
  return {
    ...at,
    providerId: provider.id,
    modelId: model.id,
    workspace: (name, owner = admin) => owner.post("/workspaces", { name, orchestrator_model_id: model.id }),
    agent: (id, name, fields = {}) =>
      admin.post(`/workspaces/${id}/agents`, { name, role: "", model_id: model.id, ...fields }),
    wire: (id, from, to) => admin.post(`/workspaces/${id}/wires`, { from_agent_id: from, to_agent_id: to }),
    orchestrator: async (id) => (await admin.get(`/workspaces/${id}/agents`))[0]!,
    blueprint: (id, as = admin) => as.get(`/workspaces/${id}/blueprint`),
    team: async (name, ...members) => {
      const team = await admin.post("/teams", { name });
      for (const member of members) await admin.put(`/teams/${team.id}/members/${member.id}`);
      return team.id;
    },
  };
}
