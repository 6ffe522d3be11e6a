// One agent in the list: a summary line that expands to its wires, gears, instructions and internet access, each with its actions.

import ChevronRight from "lucide-solid/icons/chevron-right";
import { createMemo, createSignal, createUniqueId, type JSX, Show } from "solid-js";
import type { Agent } from "../../../src/service/blueprint/schema.ts";
import { Button } from "../../kit/button.tsx";
import { Combobox } from "../../kit/combobox.tsx";
import { holdFocus, mayTakeFocus } from "../../kit/focus.ts";
import { tokens } from "../../kit/format.ts";
import { Keyed } from "../../kit/keyed.tsx";
import { NameList } from "../../kit/pieces.tsx";
import { gearsQuery, instructionsQuery } from "../../state/lists.ts";
import { isAdmin } from "../../state/session.ts";
import { AgentAvatar } from "../../parts/agent/agent-avatar.tsx";
import { useHere, useSelection } from "../../state/here.ts";
import { DOTS } from "./card.tsx";
import { useEditing } from "../../parts/editing/editing.ts";
import { type Figures, shareText } from "./figures.ts";
import type { Shown } from "./graph.ts";
import type { Activity } from "../../state/live.ts";
import { removeSelected } from "../../parts/editing/removal.tsx";

interface ListAgentProps {
  readonly id: number;
  readonly agent: Agent;
  readonly shown: Shown;
  readonly figures: Figures;
  /** Undefined for an earlier turn. */
  readonly activity: Activity | undefined;
  readonly readOnly: boolean;
  readonly gateClosed: string | undefined;
  readonly searchOn: boolean;
}

export function ListAgent(props: ListAgentProps): JSX.Element {
  const [, select] = useSelection();
  const figure = () => props.figures.of(props.id);
  const out = createMemo(() => props.shown.wires.filter((wire) => wire.from_agent_id === props.id));
  const names = createMemo(() => new Map(props.shown.agents.map(({ id, name }) => [id, name])));
  const calls = () => out().map((wire) => names().get(wire.to_agent_id) ?? "");
  const has = () => [
    ...boundTo(props.shown, props.id),
    ...(props.shown.grants.some((one) => one.agent_id === props.id) ? ["internet"] : []),
  ];
  return (
    <Fold
      head={
        <>
          <span class={`dot ${props.activity ? DOTS[props.activity] : ""}`} />
          <AgentAvatar id={props.id} size="small" />
          <span class="strong ellipsis" dir="auto" title={props.agent.name}>
            {props.agent.name}
          </span>
          <Show when={props.activity}>
            <span class="small muted">{props.activity}</span>
          </Show>
          <span class="blueprint-list-summary small muted ellipsis">
            {calls().length > 0 ? "→ " : ""}
            <NameList names={calls()} />
            {calls().length > 0 && has().length > 0 ? " · " : ""}
            <NameList names={has()} />
          </span>
          <span class="small muted ellipsis blueprint-list-model">{props.figures.model(props.agent)}</span>
          <Show when={props.activity}>
            <span class="small muted num blueprint-list-tokens">
              {tokens(figure().tokens)} tokens, {shareText(figure().share)}
            </span>
          </Show>
        </>
      }
    >
      <WiresOut {...props} />
      <WiresIn {...props} />
      <Bindings shown={props.shown} agentId={props.id} name={props.agent.name} readOnly={props.readOnly} />
      <Internet {...props} />
      <div class="blueprint-list-more">
        <Button small onClick={() => select({ kind: "agent", id: props.id })}>
          Show details of {props.agent.name}
        </Button>
      </div>
    </Fold>
  );
}

/** The names of gears and instructions; `null`: of all agents. */
function boundTo({ gearBindings, instructionBindings }: Shown, agentId: number | null): readonly string[] {
  return [
    ...gearBindings.filter((one) => one.agent_id === agentId).map((one) => one.gear_name),
    ...instructionBindings.filter((one) => one.agent_id === agentId).map((one) => one.name),
  ];
}

/** The bindings to all agents. */
export function ForAll(props: { readonly shown: Shown; readonly readOnly: boolean }): JSX.Element {
  const has = () => boundTo(props.shown, null);
  return (
    <Fold
      head={
        <>
          <span class="strong">All agents</span>
          <span class="blueprint-list-summary small muted ellipsis">
            <Show when={has().length > 0} fallback="no bindings">
              <NameList names={has()} />
            </Show>
          </span>
        </>
      }
    >
      <Bindings shown={props.shown} agentId={null} name="all agents" readOnly={props.readOnly} />
    </Fold>
  );
}

/** Content is created when opened: hundreds of agents have hundreds of fields. */
function Fold(props: { readonly head: JSX.Element; readonly children: JSX.Element }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  const id = createUniqueId();
  return (
    <li class="blueprint-list-agent" classList={{ open: open() }}>
      <button
        type="button"
        class="blueprint-list-head"
        aria-expanded={open()}
        aria-controls={open() ? id : undefined}
        onClick={() => setOpen(!open())}
      >
        <ChevronRight size={14} aria-hidden="true" class="blueprint-list-chevron" />
        {props.head}
      </button>
      <Show when={open()}>
        <div class="blueprint-list-body" id={id}>
          {props.children}
        </div>
      </Show>
    </li>
  );
}

function Part(props: {
  readonly title: string;
  readonly empty: string;
  readonly rows: readonly {
    readonly key: number;
    readonly text: string;
    readonly note?: string;
    readonly kind: "wire" | "gear-binding" | "instruction-binding" | "grant";
    readonly remove: string;
  }[];
  readonly readOnly: boolean;
  readonly children?: JSX.Element;
}): JSX.Element {
  const here = useHere();
  const editing = useEditing();
  const heading = createUniqueId();
  return (
    <section class="blueprint-list-part" aria-labelledby={heading} tabIndex={-1} ref={holdFocus}>
      <h3 class="heading" id={heading}>
        {props.title}
      </h3>
      <Show when={props.rows.length > 0} fallback={<p class="small muted">{props.empty}</p>}>
        <ul class="stack">
          <Keyed each={props.rows} key={({ key }) => key}>
            {(row) => (
              <li class="row">
                <span class="ellipsis" dir="auto" title={row().text}>
                  {row().text}
                </span>
                <Show when={row().note}>
                  <span class="tag">{row().note}</span>
                </Show>
                <Show when={!props.readOnly && (row().kind !== "grant" || isAdmin())}>
                  <span class="end">
                    <Button
                      small
                      aria-label={row().remove}
                      onClick={() => void removeSelected(here, editing, { kind: row().kind, id: row().key })}
                    >
                      {row().kind === "wire" ? "Delete" : row().kind === "grant" ? "Revoke" : "Unbind"}
                    </Button>
                  </span>
                </Show>
              </li>
            )}
          </Keyed>
        </ul>
      </Show>
      {props.children}
    </section>
  );
}

function WiresOut(props: ListAgentProps): JSX.Element {
  const editing = useEditing();
  const out = createMemo(() => props.shown.wires.filter((wire) => wire.from_agent_id === props.id));
  const free = () => {
    const wired = new Set(out().map((wire) => wire.to_agent_id));
    return props.shown.agents.filter(({ id }) => id !== props.id && !wired.has(id));
  };
  return (
    <Part
      title="Can delegate to"
      empty="No one: it has no wires to other agents."
      readOnly={props.readOnly}
      rows={wireRows(props.shown, out(), "to_agent_id")}
    >
      <Show when={!props.readOnly && free().length > 0}>
        <Pick
          label={`Add wire from ${props.agent.name} to`}
          choices={free().map(({ id, name: label }) => ({ value: String(id), label }))}
          onPick={(id) => editing.addWire(props.id, Number(id))}
        />
      </Show>
    </Part>
  );
}

function WiresIn(props: ListAgentProps): JSX.Element {
  const into = createMemo(() => props.shown.wires.filter((wire) => wire.to_agent_id === props.id));
  const empty = () =>
    props.agent.orchestrator ? "Every turn starts here." : "No one: it has no wires from other agents.";
  return (
    <Part
      title="Receives work from"
      empty={empty()}
      rows={wireRows(props.shown, into(), "from_agent_id")}
      readOnly={props.readOnly}
    />
  );
}

/** Each wire is named after its other end. */
function wireRows(shown: Shown, wires: Shown["wires"], other: "from_agent_id" | "to_agent_id") {
  const name = (id: number) => shown.agents.find((one) => one.id === id)?.name ?? "";
  return wires.map((wire) => ({
    key: wire.id,
    kind: "wire" as const,
    text: name(wire[other]),
    remove: `Delete wire from ${name(wire.from_agent_id)} to ${name(wire.to_agent_id)}`,
  }));
}

interface BindingsProps {
  readonly shown: Shown;
  readonly agentId: number | null;
  readonly name: string;
  readonly readOnly: boolean;
}

function Bindings(props: BindingsProps): JSX.Element {
  const gears = gearsQuery();
  const instructions = instructionsQuery();
  return (
    <>
      <Bound
        {...props}
        kind="gear"
        title="Gears"
        bound={props.shown.gearBindings.map((one) => ({
          id: one.id,
          of: one.gear_id,
          agentId: one.agent_id,
          name: one.gear_name,
          note: one.gear_status,
        }))}
        all={(gears.data() ?? []).map(({ id, name, status }) => ({
          id,
          name,
          ...(status === "approved" ? {} : { note: status }),
        }))}
      />
      <Bound
        {...props}
        kind="instruction"
        title="Instructions"
        bound={props.shown.instructionBindings.map((one) => ({
          id: one.id,
          of: one.instruction_id,
          agentId: one.agent_id,
          name: one.name,
          note: `v${one.version}`,
        }))}
        all={(instructions.data() ?? []).map(({ id, name }) => ({ id, name }))}
      />
    </>
  );
}

/** The bindings of one kind, and the field that adds one. */
function Bound(
  props: BindingsProps & {
    readonly kind: "gear" | "instruction";
    readonly title: string;
    readonly bound: readonly {
      readonly id: number;
      readonly of: number;
      readonly agentId: number | null;
      readonly name: string;
      readonly note: string;
    }[];
    readonly all: readonly { readonly id: number; readonly name: string; readonly note?: string }[];
  },
): JSX.Element {
  const editing = useEditing();
  const own = createMemo(() => props.bound.filter(({ agentId }) => agentId === props.agentId));
  const free = () => props.all.filter(({ id }) => !own().some((one) => one.of === id));
  const bind = (id: string) => {
    const one = props.all.find((each) => each.id === Number(id));
    return one ? editing.bind(props.kind, one.id, props.agentId, one.name) : Promise.resolve(false);
  };
  return (
    <Part
      title={props.title}
      empty="None."
      readOnly={props.readOnly}
      rows={own().map(({ id, name, note }) => ({
        key: id,
        kind: `${props.kind}-binding`,
        text: name,
        note,
        remove: `Unbind ${props.kind} ${name} from ${props.name}`,
      }))}
    >
      <Show when={!props.readOnly && free().length > 0}>
        <Pick
          label={`Bind ${props.kind} to ${props.name}`}
          choices={free().map(({ id, name, note }) => ({
            value: String(id),
            label: name,
            ...(note === undefined ? {} : { note }),
          }))}
          onPick={bind}
        />
      </Show>
    </Part>
  );
}

function Internet(props: ListAgentProps): JSX.Element {
  const editing = useEditing();
  const grants = createMemo(() =>
    props.shown.grants
      .filter((one) => one.agent_id === props.id)
      .map((one) => ({
        key: one.id,
        kind: "grant" as const,
        text: "Asks for web searches; a person approves each",
        note: props.searchOn ? "asks" : "off",
        remove: `Revoke internet from ${props.agent.name}`,
      })),
  );
  const empty = () => {
    if (props.readOnly) return "Not granted.";
    if (!props.searchOn) return `Unavailable: ${props.gateClosed ?? "web search is off"}.`;
    return isAdmin() ? "Not granted." : "Not granted. Ask an admin.";
  };
  return (
    <Part title="Internet" empty={empty()} rows={grants()} readOnly={props.readOnly}>
      <Show when={!props.readOnly && props.searchOn && isAdmin() && grants().length === 0}>
        <div>
          <Button small onClick={() => void editing.grant(props.id)}>
            Grant internet
          </Button>
        </div>
      </Show>
    </Part>
  );
}

/** A field with its own button, so that choosing alone changes nothing. */
function Pick(props: {
  readonly label: string;
  readonly choices: readonly { readonly value: string; readonly label: string; readonly note?: string }[];
  readonly onPick: (value: string) => Promise<unknown>;
}): JSX.Element {
  const [value, setValue] = createSignal<string>();
  let busy = false;
  const act = async (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const form = event.currentTarget;
    const picked = value();
    if (picked !== undefined && !busy) {
      busy = true;
      await props.onPick(picked);
      busy = false;
      if (value() === picked) setValue();
    }
    // Ready for the next one. A disabled button would lose the focus.
    if (mayTakeFocus(form)) form.querySelector("input")?.focus();
  };
  return (
    <form class="blueprint-list-pick" onSubmit={(event) => void act(event)}>
      <Combobox label={props.label} value={value()} choices={props.choices} onChange={setValue} />
      <Button type="submit" small aria-label={`Add: ${props.label}`}>
        Add
      </Button>
    </form>
  );
}
