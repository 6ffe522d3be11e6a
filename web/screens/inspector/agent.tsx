// An agent: state, prompt, capabilities, budget, model and role. Only the orchestrator and the API create agents.

import Pencil from "lucide-solid/icons/pencil";
import { createMemo, createSignal, type JSX, Show, untrack } from "solid-js";
import type { Agent } from "../../../src/service/blueprint/schema.ts";
import { api, take } from "../../api/client.ts";
import { IconButton } from "../../kit/button.tsx";
import { focusOn } from "../../kit/focus.ts";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";
import { guardLeaving } from "../../kit/leaving.ts";
import { AgentAvatar } from "../../parts/agent/agent-avatar.tsx";
import { useHere } from "../../state/here.ts";
import { nameOf } from "../../state/workspace-state.ts";
import { liveOf } from "../../state/live.ts";
import { AgentBudget } from "./agent-budget.tsx";
import { AgentDeleted, type EditedPart } from "./agent-deleted.tsx";
import { AgentModel } from "./agent-model.tsx";
import { agentPromptQuery } from "./agent-parts.ts";
import { AgentPrompt } from "./agent-prompt.tsx";
import { AgentRemoval } from "./agent-removal.tsx";
import { AgentRole } from "./agent-role.tsx";
import { AgentUses } from "./agent-uses.tsx";
import { AgentWires } from "./agent-wires.tsx";
import { Gone, InspectorHeader } from "./header.tsx";

const DOTS = { idle: "", thinking: "busy", working: "busy", waiting: "wait" } as const;

export function AgentInspector(props: { readonly id: number }): JSX.Element {
  // Keyed, so that drafts of one agent never reach another.
  return (
    <Show when={props.id} keyed>
      {(id) => <AgentOrGone id={id} />}
    </Show>
  );
}

/** The forms of an agent. */
type Form = "name" | "limits" | "role";

function AgentOrGone(props: { readonly id: number }): JSX.Element {
  const here = useHere();
  const found = createMemo(() => here.state().agents.find(({ id }) => id === props.id));
  const [open, setOpen] = createSignal<readonly Form[]>([]);
  /** A deleted agent stays while it is edited, so that nobody loses the text. */
  const shown = createMemo<Agent | undefined>(
    (before) => found() ?? (open().length > 0 ? before : undefined),
  );
  const removed = () => here.state().agentNames.has(props.id);
  const form = (name: Form) => ({
    get deleted() {
      return !found();
    },
    get editing() {
      return open().includes(name);
    },
    onEdit: (on: boolean) =>
      setOpen((before) => [...before.filter((one) => one !== name), ...(on ? [name] : [])]),
  });
  const [naming, limits, role] = [form("name"), form("limits"), form("role")];
  return (
    <Show
      when={shown()}
      fallback={
        <Gone what="agent">
          {removed()
            ? `${nameOf(here.state(), props.id)} was deleted. Its messages are still in the conversation.`
            : undefined}
        </Gone>
      }
    >
      {(agent) => (
        // An element, in which the forms stay in their places and keep the focus.
        <div>
          <Head agent={agent()} {...naming} />
          <Show when={found()}>{(live) => <Capabilities agent={live()} />}</Show>
          <Show when={found() !== undefined || limits.editing}>
            <AgentBudget agent={agent()} {...limits} />
          </Show>
          <Show when={found()}>{(live) => <AgentModel agent={live()} />}</Show>
          <Show when={found() !== undefined || role.editing}>
            <AgentRole agent={agent()} {...role} />
          </Show>
          <Show when={found()}>{(live) => <AgentRemoval agent={live()} />}</Show>
        </div>
      )}
    </Show>
  );
}

function Capabilities(props: { readonly agent: Agent }): JSX.Element {
  const prompt = agentPromptQuery(() => props.agent.id);
  return (
    <>
      <AgentPrompt agent={props.agent} query={prompt} />
      <AgentUses agent={props.agent} prompt={prompt.data()} />
      <AgentWires agent={props.agent} />
    </>
  );
}

function Head(props: { readonly agent: Agent } & EditedPart): JSX.Element {
  const here = useHere();
  const live = createMemo(() => liveOf(here.state()).activity.get(props.agent.id) ?? "idle");
  return (
    <InspectorHeader
      title={props.agent.name}
      before={<AgentAvatar id={props.agent.id} />}
      end={
        <Show when={!props.deleted} fallback={<span class="inspector-gap" />}>
          <Show when={!props.agent.orchestrator} fallback={<span class="inspector-gap" />}>
            <span class="tag">worker</span>
            <IconButton label="Rename" small onClick={() => props.onEdit(!props.editing)}>
              <Pencil aria-hidden="true" />
            </IconButton>
          </Show>
          <span class="inspector-state small muted" role="status">
            <span class={`dot ${DOTS[live()]}`} />
            {live()}
          </span>
        </Show>
      }
    >
      <Show when={props.editing}>
        <Rename agent={props.agent} deleted={props.deleted} onDone={() => props.onEdit(false)} />
      </Show>
    </InspectorHeader>
  );
}

function Rename(props: {
  readonly agent: Agent;
  readonly deleted: boolean;
  readonly onDone: () => void;
}): JSX.Element {
  const before = untrack(() => props.agent.name);
  const [name, setName] = createSignal(before);
  guardLeaving(
    () => name() !== before,
    () => ({ name: `Name of ${before}`, text: name() }),
  );
  const form = createSubmission(["name"], async () => {
    if (name().trim() !== before) await take(api.agents({ id: props.agent.id }).patch({ name: name() }));
    props.onDone();
  });
  return (
    <form
      ref={focusOn("input")}
      class="form inspector-form"
      onSubmit={(event) => void form.submit(event)}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        props.onDone();
      }}
    >
      <TextInput
        label="Name"
        value={name()}
        onInput={setName}
        problem={form.of("name")}
        hint="Other agents use this name to delegate to it."
      />
      <FormActions form={form} action="Rename" small disabled={props.deleted} onCancel={() => props.onDone()}>
        <Show when={props.deleted}>
          <AgentDeleted name={props.agent.name}>Its name cannot be saved.</AgentDeleted>
        </Show>
      </FormActions>
    </form>
  );
}
