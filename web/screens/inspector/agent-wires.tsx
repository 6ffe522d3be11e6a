// The agents that this agent can delegate to, and those that can delegate to it, with links and controls to delete the wires.

import X from "lucide-solid/icons/x";
import { createMemo, type JSX, Show } from "solid-js";
import type { Agent, Wire } from "../../../src/service/blueprint/schema.ts";
import { IconButton } from "../../kit/button.tsx";
import { Keyed } from "../../kit/keyed.tsx";
import { useHere, useSelection } from "../../state/here.ts";
import { nameOf } from "../../state/workspace-state.ts";
import { useEditing } from "../../parts/editing/editing.ts";
import { removeSelected } from "../../parts/editing/removal.tsx";

export function AgentWires(props: { readonly agent: Agent }): JSX.Element {
  const here = useHere();
  const out = createMemo(() =>
    here.state().wires.filter(({ from_agent_id: from }) => from === props.agent.id),
  );
  const incoming = createMemo(() =>
    here.state().wires.filter(({ to_agent_id: to }) => to === props.agent.id),
  );
  return (
    <section class="section">
      <h3>Delegates to</h3>
      <Show
        when={out().length > 0}
        fallback={<p class="small muted">No agents. Draw a wire on the blueprint to add one.</p>}
      >
        <ul class="inspector-rows">
          <Keyed each={out()} key={({ id }) => id}>
            {(wire) => <Line wire={wire()} other={wire().to_agent_id} way="to" />}
          </Keyed>
        </ul>
      </Show>
      <Show when={incoming().length > 0}>
        <h3 class="heading inspector-second">Called by</h3>
        <ul class="inspector-rows">
          <Keyed each={incoming()} key={({ id }) => id}>
            {(wire) => <Line wire={wire()} other={wire().from_agent_id} way="from" />}
          </Keyed>
        </ul>
      </Show>
    </section>
  );
}

function Line(props: {
  readonly wire: Wire;
  readonly other: number;
  readonly way: "to" | "from";
}): JSX.Element {
  const here = useHere();
  const editing = useEditing();
  const [, select] = useSelection();
  const name = () => nameOf(here.state(), props.other);
  return (
    <li class="inspector-row">
      <button
        type="button"
        class="inspector-link ellipsis"
        dir="auto"
        title={name()}
        onClick={() => select({ kind: "agent", id: props.other })}
      >
        {name()}
      </button>
      <span class="inspector-drop">
        <IconButton
          small
          label={`Delete wire ${props.way} ${name()}`}
          onClick={() => void removeSelected(here, editing, { kind: "wire", id: props.wire.id })}
        >
          <X aria-hidden="true" />
        </IconButton>
      </span>
    </li>
  );
}
