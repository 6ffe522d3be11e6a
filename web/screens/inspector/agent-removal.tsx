// Deletes a worker, after naming what else that deletes.

import { type JSX, Show } from "solid-js";
import type { Agent } from "../../../src/service/blueprint/schema.ts";
import { api, take } from "../../api/client.ts";
import { createAction } from "../../kit/action.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { list, plural } from "../../kit/format.ts";
import { useHere, useSelection } from "../../state/here.ts";
import { liveOf } from "../../state/live.ts";
import type { WorkspaceState } from "../../state/workspace-state.ts";

export function AgentRemoval(props: { readonly agent: Agent }): JSX.Element {
  const here = useHere();
  const [selection, select] = useSelection();
  const removal = createAction((id: number) => take(api.agents({ id }).delete()));
  const remove = async () => {
    const { id, name } = props.agent;
    const yes = await confirm({
      title: `Delete ${name}?`,
      text: (
        <>
          <p>{lostWith(here.state(), id)}</p>
          <Show when={(liveOf(here.state()).activity.get(id) ?? "idle") !== "idle"}>
            <p>It is working now. That work goes on until its task is done, or until the turn is stopped.</p>
          </Show>
          <p>Its messages stay in the conversation and in Activity. This cannot be undone.</p>
        </>
      ),
      action: "Delete agent",
    });
    const gone = yes && (await removal.run(id));
    if (gone && selection()?.kind === "agent" && selection()?.id === id) select(undefined);
  };
  return (
    <Show when={!props.agent.orchestrator}>
      <section class="section">
        <Button small kind="danger" busy={removal.busy()} onClick={() => void remove()}>
          Delete agent
        </Button>
      </section>
    </Show>
  );
}

/** One sentence on what is lost. */
function lostWith(state: WorkspaceState, agentId: number): string {
  const own = <T extends { readonly agent_id: number | null }>(all: readonly T[]) =>
    all.filter((one) => one.agent_id === agentId).length;
  const wires = state.wires.filter(
    ({ from_agent_id: from, to_agent_id: to }) => from === agentId || to === agentId,
  ).length;
  const things = [
    [wires, "wire"],
    [own(state.gearBindings), "gear binding"],
    [own(state.instructionBindings), "instruction binding"],
    [own(state.grants), "internet grant"],
  ] as const;
  const lost = things.filter(([number]) => number > 0).map(([number, what]) => plural(number, what));
  return `This also deletes ${list(["its role", "its limits", ...lost])}.`;
}
