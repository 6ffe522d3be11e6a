// The bindings of an instruction, and the form that binds it to a workspace or to one of its agents.

import { A } from "@solidjs/router";
import Unlink from "lucide-solid/icons/unlink";
import { createSignal, For, type JSX, Show } from "solid-js";
import { api, take } from "../../api/client.ts";
import { createQuery, type Query, refresh } from "../../api/query.ts";
import { createAction } from "../../kit/action.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { plural } from "../../kit/format.ts";
import { FormProblem } from "../../kit/form-actions.tsx";
import { createSubmission, Select } from "../../kit/form.tsx";
import { Time } from "../../kit/pieces.tsx";
import { Loaded } from "../../kit/states.tsx";
import { workspacesQuery } from "../../state/lists.ts";
import type { Use, Uses as UsesData } from "./queries.ts";

const ALL_AGENTS = "all";

export function Uses(props: { readonly id: number; readonly query: Query<UsesData> }): JSX.Element {
  const changed = () => refresh("instruction", props.id, "uses");
  return (
    <section class="section">
      <h3>Bound to</h3>
      <Loaded query={props.query}>
        {(data) => (
          <>
            <ul class="library-uses">
              <For each={data().uses} fallback={<li class="muted">No bindings yet.</li>}>
                {(use) => <UseRow use={use} onChanged={changed} />}
              </For>
            </ul>
            <Show when={data().notLookedAt > 0}>
              <p class="small muted">
                Bindings in {plural(data().notLookedAt, "more workspace")} are not listed.
              </p>
            </Show>
          </>
        )}
      </Loaded>
      <BindForm id={props.id} onBound={changed} />
    </section>
  );
}

function UseRow(props: { readonly use: Use; readonly onChanged: () => Promise<void> }): JSX.Element {
  const who = () =>
    props.use.binding.agent_id === null ? "all agents" : (props.use.agent?.name ?? "an agent");
  const place = () => `${props.use.workspace.display_name}, ${who()}`;
  const address = () =>
    `/workspaces/${props.use.workspace.id}/blueprint?inspect=instruction-binding-${props.use.binding.id}`;
  const unbinding = createAction(async () => {
    await take(api["instruction-bindings"]({ id: props.use.binding.id }).delete());
    await props.onChanged();
  });
  return (
    <li class="row">
      <A class="ellipsis" href={address()} title={place()} dir="auto">
        {props.use.workspace.display_name}
      </A>
      <span class="tag" dir="auto">
        {who()}
      </span>
      <span class="end row small muted">
        <Time time={props.use.binding.created_at} />
        <IconButton
          small
          label={`Unbind from ${place()}`}
          busy={unbinding.busy()}
          onClick={() => void unbinding.run()}
        >
          <Unlink aria-hidden="true" />
        </IconButton>
      </span>
    </li>
  );
}

function BindForm(props: { readonly id: number; readonly onBound: () => Promise<void> }): JSX.Element {
  const workspaces = workspacesQuery();
  const [workspaceId, setWorkspaceId] = createSignal("");
  const [agent, setAgent] = createSignal(ALL_AGENTS);
  const agents = createQuery(() => {
    const id = Number(workspaceId());
    return id ? { key: ["agents", id], read: () => take(api.workspaces({ id }).agents.get()) } : undefined;
  });
  const choices = () => [
    { value: ALL_AGENTS, label: "All agents" },
    ...(agents.data() ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
  ];
  const sent = createSubmission([], async () => {
    const [where, whom] = [workspaceId(), agent()];
    const agent_id = whom === ALL_AGENTS ? null : Number(whom);
    await take(
      api.workspaces({ id: Number(where) }).instructions.post({ instruction_id: props.id, agent_id }),
    );
    // The next one may be chosen already.
    if (workspaceId() === where && agent() === whom) setAgent(ALL_AGENTS);
    await props.onBound();
  });
  return (
    <Show
      when={workspaces.data()?.length}
      fallback={<p class="small muted">Create a workspace first; then bind this instruction to it.</p>}
    >
      <form class="library-bind" onSubmit={(event) => void sent.submit(event)}>
        <Select
          label="Workspace"
          value={workspaceId()}
          choices={[
            { value: "", label: "Select", disabled: true },
            ...workspaces.data()!.map(({ id, display_name: name }) => ({ value: String(id), label: name })),
          ]}
          onChange={(value) => {
            setWorkspaceId(value);
            setAgent(ALL_AGENTS);
            sent.clear();
          }}
        />
        <Select
          label="Agent"
          value={agent()}
          choices={choices()}
          onChange={setAgent}
          disabled={workspaceId() === ""}
        />
        <Button type="submit" busy={sent.busy()} disabled={workspaceId() === ""}>
          Bind
        </Button>
      </form>
      <FormProblem form={sent} />
    </Show>
  );
}
