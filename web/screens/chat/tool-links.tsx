// Links of a tool call: the gear version that ran, the file, the agent.

import { A } from "@solidjs/router";
import { createMemo, type JSX, Show } from "solid-js";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { objectOf } from "../../kit/json.ts";
import { useHere } from "../../state/here.ts";
import { gearsQuery } from "../../state/lists.ts";
import { gearNameOf, pathOf } from "../../state/tool-summary.ts";
import type { Chip } from "../../state/transcript.ts";
import { nameOf } from "../../state/workspace-state.ts";
import { useRoom } from "./room.ts";

/** The service's own tools, whose names no gear can have. */
const OWN_TOOL = /^(agent|wire|gear|context|file|memory|instruction|model)_|^(delegate|web_search)$/;

export function ToolLinks(props: { readonly chip: Chip }): JSX.Element {
  const here = useHere();
  const room = useRoom();
  const path = createMemo(() => pathOf(props.chip.tool, props.chip.arguments));
  const agentId = createMemo(() => {
    if (props.chip.agentId !== undefined) return props.chip.agentId;
    const named = /^(delegate|agent_)/.test(props.chip.tool) ? objectOf(props.chip.arguments) : undefined;
    const name = named?.["agent"] ?? named?.["name"];
    return here.state().agents.find((agent) => agent.name === name)?.id;
  });
  return (
    <>
      <Show when={!OWN_TOOL.test(props.chip.tool)}>
        <GearThatRan chip={props.chip} />
      </Show>
      <Show when={gearNameOf(props.chip.tool, props.chip.arguments)}>
        {(name) => <GearByName name={name()} />}
      </Show>
      <Show when={path()}>
        {(file) => (
          <A href={`/workspaces/${here.id}/files?path=${encodeURIComponent(file())}`}>Open {file()}</A>
        )}
      </Show>
      <Show when={agentId()}>
        {(id) => (
          <button type="button" class="chat-link" onClick={() => room.select({ kind: "agent", id: id() })}>
            Agent {nameOf(here.state(), id())}
          </button>
        )}
      </Show>
    </>
  );
}

function GearThatRan(props: { readonly chip: Chip }): JSX.Element {
  const steps = createQuery(() => ({
    key: ["turn-steps", props.chip.turnId, props.chip.key, props.chip.result?.id ?? 0],
    read: () => take(api.turns({ id: props.chip.turnId }).steps.get()),
  }));
  const step = createMemo(() => steps.data()?.tools.find(({ call_id: id }) => id === props.chip.key));
  return (
    <Show when={step()?.gear_id} fallback={<GearByName name={props.chip.tool} />}>
      {(id) => (
        <A href={`/gears/${id()}`}>
          Gear {props.chip.tool}
          {step()?.gear_version === null ? "" : `, version ${step()?.gear_version}`}
        </A>
      )}
    </Show>
  );
}

function GearByName(props: { readonly name: string }): JSX.Element {
  const gears = gearsQuery();
  const id = createMemo(() => gears.data()?.find(({ name }) => name === props.name)?.id);
  return <Show when={id()}>{(gear) => <A href={`/gears/${gear()}`}>Gear {props.name}</A>}</Show>;
}
