// The budget of a workspace and the usage of each of its agents, including deleted ones.

import { createMemo, createSignal, type JSX, Show } from "solid-js";
import type { Usage } from "../../../src/service/usage/schema.ts";
import { api, take } from "../../api/client.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { costText, count, percent, plural } from "../../kit/format.ts";
import { mayDiscard } from "../../kit/leaving.ts";
import { compareNames } from "../../kit/names.ts";
import { type Column, countColumn, Table } from "../../kit/table.tsx";
import { useHere } from "../../state/here.ts";
import { ownsWorkspace } from "../../state/session.ts";
import { UsageChart } from "../../parts/usage/usage-chart.tsx";
import { BudgetForm } from "../../parts/budget/budget-form.tsx";
import { BudgetMeter } from "../../parts/budget/budget-meter.tsx";

type AgentUsage = Usage["agents"][number];

const tokensOf = (row: AgentUsage) => row.input_tokens + row.output_tokens;

const COLUMNS: readonly Column<AgentUsage>[] = [
  {
    title: "Agent",
    cell: (row) => (
      <>
        <bdi>{row.agent}</bdi>
        <Show when={row.removed}>
          {" "}
          <span class="tag">deleted</span>
        </Show>
      </>
    ),
    sortBy: (row) => row.agent,
  },
  countColumn("Tokens in", (row) => row.input_tokens),
  countColumn("Cached", (row) => row.cached_input_tokens, { optional: true }),
  countColumn("Tokens out", (row) => row.output_tokens, { optional: true }),
  countColumn("Calls", (row) => row.calls, { optional: true }),
  countColumn("Unreported", (row) => row.unreported_calls, { optional: true }),
  {
    title: "Cost",
    cell: (row) => (row.calls === 0 ? "" : row.cost === null ? "unknown" : costText(row)),
    sortBy: (row) => row.cost ?? -1,
    number: true,
  },
  {
    title: "Share",
    cell: (row) => (row.share === null ? "" : percent(row.share)),
    sortBy: (row) => row.share ?? -1,
    number: true,
  },
];

export function UsageDialog(props: { readonly onClose: () => void }): JSX.Element {
  const here = useHere();
  const [edited, setEdited] = createSignal(false);
  const close = async () => {
    if (await mayDiscard(edited())) props.onClose();
  };
  return (
    <Dialog open onClose={() => void close()} title="Usage and budget" wide>
      <div class="workspace-usage-dialog">
        <WorkspaceBudget onEdited={setEdited} />
        <UsageTable />
        <Show when={here.state().usage.calls > 0}>
          <UsageChart />
        </Show>
      </div>
      <div class="actions">
        <Button onClick={() => void close()}>Close</Button>
      </div>
    </Dialog>
  );
}

function WorkspaceBudget(props: { readonly onEdited: (isEdited: boolean) => void }): JSX.Element {
  const here = useHere();
  const [editing, setEditing] = createSignal(false);
  const budget = () => here.state().workspace.budget;
  return (
    <section class="stack">
      <h3 class="heading">Budget</h3>
      <BudgetMeter budget={budget()} today={here.state().usage.today} />
      <Show
        when={editing()}
        fallback={
          <Show when={ownsWorkspace(here.state().workspace)}>
            <div>
              <Button small onClick={() => setEditing(true)}>
                {budget() ? "Edit limits" : "Set limits"}
              </Button>
            </div>
          </Show>
        }
      >
        <BudgetForm
          of="the workspace"
          budget={budget()}
          send={(next) => take(api.workspaces({ id: here.id }).patch({ budget: next }))}
          onDone={() => setEditing(false)}
          onEdited={props.onEdited}
          note="The limits apply to all agents together."
        />
      </Show>
    </section>
  );
}

function UsageTable(): JSX.Element {
  const here = useHere();
  const usage = createMemo(() => here.state().usage);
  /** As the chart stacks them: the largest first. */
  const agents = createMemo(() =>
    usage().agents.toSorted(
      (a, b) => tokensOf(b) - tokensOf(a) || compareNames(a.agent, b.agent) || a.agent_id - b.agent_id,
    ),
  );
  const summary = () => {
    const { input_tokens: input, cached_input_tokens: cached, output_tokens: output, calls } = usage();
    const unreported = usage().unreported_calls;
    return [
      plural(calls, "model call"),
      `${count(input)} tokens in, ${count(cached)} of them cached`,
      `${count(output)} out`,
      costText(usage()),
      ...(unreported === 0 ? [] : [`${plural(unreported, "call")} unreported`]),
      ...(usage().unpriced_calls === 0 ? [] : [`${plural(usage().unpriced_calls, "call")} unpriced`]),
    ].join(" · ");
  };
  return (
    <section>
      <h3 class="heading">Usage</h3>
      <Show when={usage().calls > 0} fallback={<p class="muted">No model calls yet.</p>}>
        <p class="small muted num">{summary()}</p>
        <div class="workspace-usage-table">
          <Table label="Usage by agent" rows={agents()} columns={COLUMNS} key={(row) => row.agent_id} />
        </div>
      </Show>
    </section>
  );
}
