// What the inspector shows of a line or a small node of the blueprint: what it means, since when, by whom, and how it is taken away.
// Header and close button are the inspector's own.

import { A } from "@solidjs/router";
import ArrowRight from "lucide-solid/icons/arrow-right";
import type { AuditRecord } from "../../../src/service/audit/schema.ts";
import { createMemo, createSignal, type JSX, Show } from "solid-js";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { Time } from "../../kit/pieces.tsx";
import { type Here, type Selection, useHere, useSelection } from "../../state/here.ts";
import { egressQuery } from "../../state/lists.ts";
import { isAdmin } from "../../state/session.ts";
import { nameOf } from "../../state/workspace-state.ts";
import { useEditing } from "../../parts/editing/editing.ts";
import { removeSelected } from "../../parts/editing/removal.tsx";

/** The newest records in which it is looked for who made something. */
const AUDIT_RECORDS_READ = 500;

export function WireInspector(props: { readonly id: number }): JSX.Element {
  const here = useHere();
  const wire = createMemo(() => here.state().wires.find(({ id }) => id === props.id));
  const name = (agentId: number) => nameOf(here.state(), agentId);
  return (
    <Show when={wire()} fallback={<Gone what="wire" />}>
      {(one) => (
        <>
          <section class="section stack">
            <div class="row">
              <AgentLink id={one().from_agent_id} />
              <ArrowRight size={14} aria-label="to" />
              <AgentLink id={one().to_agent_id} />
            </div>
            <p>
              <bdi>{name(one().from_agent_id)}</bdi> can hand work to <bdi>{name(one().to_agent_id)}</bdi>{" "}
              with the tool <code>delegate</code>, and gets its answer back. Not the other way round.
            </p>
            <Origin
              time={one().created_at}
              action="wire.create"
              isIt={({ target }) => target === `wire:${props.id}`}
            />
          </section>
          <Removal
            here={here}
            selection={{ kind: "wire", id: props.id }}
            action="Remove wire"
            lost={`From the next turn on, ${name(one().from_agent_id)} can't delegate to ${name(one().to_agent_id)}. The agents and what they said stay.`}
          />
        </>
      )}
    </Show>
  );
}

export function GearBindingInspector(props: { readonly id: number }): JSX.Element {
  const here = useHere();
  const binding = createMemo(() => here.state().gearBindings.find(({ id }) => id === props.id));
  return (
    <Show when={binding()} fallback={<Gone what="binding" />}>
      {(one) => (
        <>
          <section class="section stack">
            <div class="row">
              <A href={`/gears/${one().gear_id}`} class="ellipsis mono" title={one().gear_name}>
                {one().gear_name}
              </A>
              <GearStatus status={one().gear_status} />
            </div>
            <p>
              <Target agentId={one().agent_id} /> can call this gear as a tool
              {one().gear_status === "approved"
                ? "."
                : one().gear_status === "pending"
                  ? " once it is approved. Until then it is not offered."
                  : " when it is approved again. It is disabled now, so it is not offered."}
            </p>
            <Show when={one().gear_status !== "approved"}>
              <A href={`/gears/${one().gear_id}/review`}>Review the gear</A>
            </Show>
            <Origin
              time={one().created_at}
              action="gear.bind"
              isIt={({ target }) => target === `gear-binding:${props.id}`}
            />
          </section>
          <Removal
            here={here}
            selection={{ kind: "gear-binding", id: props.id }}
            action="Unbind gear"
            lost="From the next turn on, the gear is not offered here. The gear itself and the records of its runs stay."
          />
        </>
      )}
    </Show>
  );
}

export function InstructionBindingInspector(props: { readonly id: number }): JSX.Element {
  const here = useHere();
  const binding = createMemo(() => here.state().instructionBindings.find(({ id }) => id === props.id));
  return (
    <Show when={binding()} fallback={<Gone what="binding" />}>
      {(one) => (
        <>
          <section class="section stack">
            <div class="row">
              <A href={`/library/${one().instruction_id}`} class="ellipsis" title={one().name}>
                {one().name}
              </A>
              <span class="tag">v{one().version}</span>
            </div>
            <p>
              This instruction stands in the prompt of <Target agentId={one().agent_id} />, after the role. It
              is always the newest version.
            </p>
            <Origin
              time={one().created_at}
              action="instruction.bind"
              isIt={({ target, detail }) =>
                target === `instruction:${one().instruction_id}` &&
                detail["workspace"] === here.id &&
                detail["agent_id"] === one().agent_id
              }
            />
          </section>
          <Removal
            here={here}
            selection={{ kind: "instruction-binding", id: props.id }}
            action="Unbind instruction"
            lost="From the next model call on, it is not in the prompt. The instruction itself stays in the library."
          />
        </>
      )}
    </Show>
  );
}

export function GrantInspector(props: { readonly id: number }): JSX.Element {
  const here = useHere();
  const egress = egressQuery();
  const grant = createMemo(() => here.state().grants.find(({ id }) => id === props.id));
  return (
    <Show when={grant()} fallback={<Gone what="grant" />}>
      {(one) => (
        <>
          <section class="section stack">
            <div class="row">
              <AgentLink id={one().agent_id} />
              <ArrowRight size={14} aria-label="to" />
              <span class="strong">the internet</span>
            </div>
            <p>
              <bdi>{nameOf(here.state(), one().agent_id)}</bdi> may ask for web searches. Each one stops its
              turn until a person has approved exactly that query.
            </p>
            <Show when={egress.data()?.reason}>{(reason) => <p class="muted">Not now: {reason()}.</p>}</Show>
            <dl class="facts">
              <dt>Granted</dt>
              <dd>
                <Time time={one().created_at} relative /> by <bdi>{one().granted_by}</bdi>
              </dd>
              <dt>Signed in by</dt>
              <dd>{one().auth}</dd>
            </dl>
          </section>
          <Show
            when={isAdmin()}
            fallback={<p class="section muted">Only an admin can take the grant away.</p>}
          >
            <Removal
              here={here}
              selection={{ kind: "grant", id: props.id }}
              action="Take the internet away"
              lost="It can't ask for searches any more; what it asked for and nobody has decided on is refused."
              asks
            />
          </Show>
        </>
      )}
    </Show>
  );
}

function Gone(props: { readonly what: string }): JSX.Element {
  return <p class="section muted">This {props.what} does not exist any more.</p>;
}

function AgentLink(props: { readonly id: number }): JSX.Element {
  const here = useHere();
  const [, select] = useSelection();
  const name = () => nameOf(here.state(), props.id);
  return (
    <Button small onClick={() => select({ kind: "agent", id: props.id })}>
      <span class="ellipsis" dir="auto" title={name()}>
        {name()}
      </span>
    </Button>
  );
}

function Target(props: { readonly agentId: number | null }): JSX.Element {
  const here = useHere();
  return (
    <Show when={props.agentId} fallback="every agent of this workspace">
      {(id) => <bdi>{nameOf(here.state(), id())}</bdi>}
    </Show>
  );
}

function GearStatus(props: { readonly status: "pending" | "approved" | "disabled" }): JSX.Element {
  const looks = { pending: "wait", approved: "ok", disabled: "" } as const;
  return <span class={`tag ${looks[props.status]}`}>{props.status}</span>;
}

/** Since when; for admins also by whom, which the audit knows. */
function Origin(props: {
  readonly time: string;
  readonly action: string;
  readonly isIt: (record: AuditRecord) => boolean;
}): JSX.Element {
  const audit = createQuery(() =>
    isAdmin()
      ? {
          key: ["audit", "of", props.action],
          read: () => take(api.audit.get({ query: { action: props.action, limit: AUDIT_RECORDS_READ } })),
        }
      : undefined,
  );
  const by = () => audit.data()?.find((record) => props.isIt(record))?.actor;
  return (
    <p class="small muted">
      Since <Time time={props.time} relative />
      <Show when={by()}>
        {(name) => (
          <>
            {" "}
            by <bdi>{name()}</bdi>
          </>
        )}
      </Show>
    </p>
  );
}

function Removal(props: {
  readonly here: Here;
  readonly selection: Selection;
  readonly action: string;
  readonly lost: string;
  /** It asks before, and can't be undone. */
  readonly asks?: boolean;
}): JSX.Element {
  const editing = useEditing();
  const [selection, select] = useSelection();
  const [busy, setBusy] = createSignal(false);
  const remove = async () => {
    setBusy(true);
    const { kind, id } = props.selection;
    const gone = await removeSelected(props.here, editing, props.selection);
    setBusy(false);
    if (gone && selection()?.kind === kind && selection()?.id === id) select(undefined);
  };
  return (
    <section class="section stack">
      <p class="muted">
        {props.lost}
        {props.asks ? "" : " You can undo it."}
      </p>
      <div>
        <Button kind="danger" small busy={busy()} onClick={() => void remove()}>
          {props.action}
        </Button>
      </div>
    </section>
  );
}
