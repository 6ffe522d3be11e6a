// An agent's usage, its share of the workspace, and its limits per turn and per day.

import { createMemo, type JSX, Show } from "solid-js";
import type { Agent } from "../../../src/service/blueprint/schema.ts";
import { api, take } from "../../api/client.ts";
import { Button } from "../../kit/button.tsx";
import { percent, plural, tokens } from "../../kit/format.ts";
import { useHere } from "../../state/here.ts";
import { ownsWorkspace } from "../../state/session.ts";
import { BudgetForm } from "../../parts/budget/budget-form.tsx";
import { BudgetMeter, NOTHING_USED } from "../../parts/budget/budget-meter.tsx";
import { AgentDeleted, type EditedPart } from "./agent-deleted.tsx";

export function AgentBudget(props: { readonly agent: Agent } & EditedPart): JSX.Element {
  const here = useHere();
  const used = createMemo(() => here.state().usage.agents.find(({ agent_id: id }) => id === props.agent.id));
  const running = () => {
    const usage = used();
    if (!usage || usage.calls === 0) return "No model calls yet.";
    const share = usage.share === null ? "" : `, ${percent(usage.share)} of the workspace`;
    const unreported =
      usage.unreported_calls === 0 ? "" : `; ${plural(usage.unreported_calls, "call")} not reported`;
    return `${tokens(usage.input_tokens + usage.output_tokens)} tokens in all${share}${unreported}`;
  };
  return (
    <section class="section">
      <h3>Budget</h3>
      <BudgetMeter budget={props.agent.budget} today={used()?.today ?? NOTHING_USED} />
      <p class="small muted num inspector-after">{running()}</p>
      <Show
        when={props.editing}
        fallback={
          <Show when={ownsWorkspace(here.state().workspace)}>
            <Button small onClick={() => props.onEdit(true)}>
              {props.agent.budget ? "Edit limits" : "Set limits"}
            </Button>
          </Show>
        }
      >
        <BudgetForm
          of={props.agent.name}
          budget={props.agent.budget}
          send={(budget) => take(api.agents({ id: props.agent.id }).patch({ budget }))}
          onDone={() => props.onEdit(false)}
          note="Work that it delegates counts, too."
          disabled={props.deleted}
        >
          <Show when={props.deleted}>
            <AgentDeleted name={props.agent.name}>Its limits cannot be saved.</AgentDeleted>
          </Show>
        </BudgetForm>
      </Show>
    </section>
  );
}
