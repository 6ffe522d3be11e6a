// The capabilities of an agent: bound gears, the internet, and built-in tools.

import { A } from "@solidjs/router";
import Plus from "lucide-solid/icons/plus";
import X from "lucide-solid/icons/x";
import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { Agent } from "../../../src/service/blueprint/schema.ts";
import type { Prompt } from "../../../src/service/conversation/schema.ts";
import type { GearBinding } from "../../../src/service/gears/schema.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { plural } from "../../kit/format.ts";
import { Keyed } from "../../kit/keyed.tsx";
import { compareNames } from "../../kit/names.ts";
import { toolsIn } from "../../kit/prompt-part.ts";
import { useHere } from "../../state/here.ts";
import { egressQuery, gearsQuery } from "../../state/lists.ts";
import { isAdmin } from "../../state/session.ts";
import { useEditing } from "../../parts/editing/editing.ts";
import { removeSelected } from "../../parts/editing/removal.tsx";
import { BindBox } from "./bind-box.tsx";

const LOOKS = { pending: "wait", approved: "ok", disabled: "" } as const;

export function AgentUses(props: {
  readonly agent: Agent;
  readonly prompt: Prompt | undefined;
}): JSX.Element {
  const here = useHere();
  const bindings = createMemo(() =>
    here
      .state()
      .gearBindings.filter(({ agent_id: of }) => of === null || of === props.agent.id)
      .toSorted((a, b) => compareNames(a.gear_name, b.gear_name)),
  );
  return (
    <section class="section">
      <h3>Can use</h3>
      <ul class="inspector-rows">
        <Keyed each={bindings()} key={({ id }) => id}>
          {(binding) => <Gear binding={binding()} />}
        </Keyed>
        <Internet agent={props.agent} />
        <OwnTools prompt={props.prompt} gears={bindings().map(({ gear_name: name }) => name)} />
      </ul>
      <BindGear agent={props.agent} />
    </section>
  );
}

function Gear(props: { readonly binding: GearBinding }): JSX.Element {
  const here = useHere();
  const editing = useEditing();
  const gears = gearsQuery();
  const version = () => gears.data()?.find(({ id }) => id === props.binding.gear_id)?.version;
  return (
    <li class="inspector-row">
      <A href={`/gears/${props.binding.gear_id}`} class="mono ellipsis" title={props.binding.gear_name}>
        {props.binding.gear_name}
      </A>
      <span class={`tag ${LOOKS[props.binding.gear_status]}`}>
        {props.binding.gear_status}
        {version() === undefined ? "" : ` v${version()}`}
      </span>
      <Show when={props.binding.agent_id === null}>
        <span class="tag">all agents</span>
      </Show>
      <span class="inspector-drop">
        <IconButton
          small
          label={`Unbind ${props.binding.gear_name}${props.binding.agent_id === null ? " from all agents" : ""}`}
          onClick={() => void removeSelected(here, editing, { kind: "gear-binding", id: props.binding.id })}
        >
          <X aria-hidden="true" />
        </IconButton>
      </span>
      <Show when={props.binding.gear_status === "pending"}>
        <A href={`/gears/${props.binding.gear_id}/review`} class="small end">
          Review
        </A>
      </Show>
    </li>
  );
}

/** The grant is the second of three locks; only admins can set it. */
function Internet(props: { readonly agent: Agent }): JSX.Element {
  const here = useHere();
  const editing = useEditing();
  const egress = egressQuery();
  const [busy, setBusy] = createSignal(false);
  const grant = createMemo(() => here.state().grants.find(({ agent_id: of }) => of === props.agent.id));
  const on = () => egress.data()?.on === true;
  const change = async () => {
    setBusy(true);
    await (grant() ? editing.revoke(grant()!.id) : editing.grant(props.agent.id));
    setBusy(false);
  };
  const text = () => {
    if (!on()) return `Web search is off: ${egress.data()?.reason ?? "reason unknown"}.`;
    return grant()
      ? "It may request web searches. Each one needs approval."
      : "It cannot request web searches.";
  };
  return (
    <Show when={egress.data()}>
      <li class="inspector-row wrapping">
        <span>Internet</span>
        <span class={`tag ${grant() && on() ? "ok" : ""}`}>
          {grant() ? (on() ? "granted" : "granted, off") : "not granted"}
        </span>
        <Show when={isAdmin() && (on() || grant())}>
          <span class="end inspector-flush">
            <Button small kind="quiet" busy={busy()} onClick={() => void change()}>
              {grant() ? "Revoke" : "Grant"}
            </Button>
          </span>
        </Show>
        <span class="inspector-note small muted">{text()}</span>
      </li>
    </Show>
  );
}

/** Read from the prompt, which lists the tools that the model is offered. */
function OwnTools(props: {
  readonly prompt: Prompt | undefined;
  readonly gears: readonly string[];
}): JSX.Element {
  const names = createMemo(() => {
    const part = props.prompt?.parts.find(({ kind }) => kind === "tools");
    const offered = (part ? toolsIn(part.text) : undefined) ?? [];
    return offered.map(({ name }) => name).filter((name) => !props.gears.includes(name));
  });
  return (
    <Show when={names().length > 0}>
      <li>
        <details class="inspector-more">
          <summary class="small">{plural(names().length, "built-in tool")}</summary>
          <p class="inspector-names mono">
            <For each={names()}>{(name) => <span>{name}</span>}</For>
          </p>
        </details>
      </li>
    </Show>
  );
}

function BindGear(props: { readonly agent: Agent }): JSX.Element {
  const here = useHere();
  const editing = useEditing();
  const gears = gearsQuery();
  const choices = createMemo(() => {
    const bound = new Set(
      here
        .state()
        .gearBindings.filter(({ agent_id: of }) => of === null || of === props.agent.id)
        .map(({ gear_id: id }) => id),
    );
    return (gears.data() ?? [])
      .filter(({ id }) => !bound.has(id))
      .map(({ id, name, status, version }) => ({
        value: String(id),
        label: name,
        note: `v${version}, ${status}`,
      }));
  });
  return (
    <BindBox
      action="Bind gear"
      icon={<Plus aria-hidden="true" />}
      label="Gear"
      choices={choices()}
      empty="Every gear is bound already."
      onChoose={(choice) => editing.bind("gear", Number(choice.value), props.agent.id, choice.label)}
    />
  );
}
