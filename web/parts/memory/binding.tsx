// Binds documents to the prompts of a workspace or of one agent. Unbinding asks nothing, because a toast offers to undo it.

import type { ContextBinding } from "../../../src/service/memory/schema.ts";
import { api, take } from "../../api/client.ts";
import { Button } from "../../kit/button.tsx";
import { attempt, tell } from "../../kit/toast.tsx";

/** `agentId` null: all agents. Raises what the server refuses. */
export function bindDocument(
  workspaceId: number,
  path: string,
  agentId: number | null,
): Promise<ContextBinding> {
  return take(api.workspaces({ id: workspaceId }).context.post({ path, agent_id: agentId }));
}

export async function unbindDocument(binding: ContextBinding): Promise<void> {
  const { id, workspace_id: workspaceId, path, agent_id: agentId } = binding;
  await attempt(async () => {
    await take(api["context-bindings"]({ id }).delete());
    tell(
      <span class="row">
        <span class="wrap">
          <bdi>{path}</bdi> unbound.
        </span>
        <Button small onClick={() => void attempt(() => bindDocument(workspaceId, path, agentId))}>
          Undo
        </Button>
      </span>,
    );
  });
}
