// Inspectors for wires, bindings and grants: what each means, when and by whom it was created, and a control to delete it. The inspector adds
// the header.

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

/** Audit records searched for the creator of a connection. */
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
              <bdi>{name(one().from_agent_id)}</bdi> can delegate work to <bdi>{name(one().to_agent_id)}</bdi>{" "}
              with the tool <code>delegate</code> and receives its answer. The wire works in this direction
              only.
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
            action="Delete wire"
            lost={`From the next turn, ${name(one().from_agent_id)} cannot delegate to ${name(one().to_agent_id)}. Both agents and their messages stay.`}
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
                  ? " once it is approved."
                  : " once it is approved again. It is disabled now."}
            </p>
            <Show when={one().gear_status !== "approved"}>
              <A href={`/gears/${one().gear_id}/review`}>Review gear</A>
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
            lost="From the next turn, the gear is not offered here. The gear and the record of its runs stay."
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
              This instruction is part of the prompt of <Target agentId={one().agent_id} />, after the role,
              always in its newest version.
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
            lost="From the next model call, it is not part of the prompt. The instruction stays in the library."
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
              <bdi>{nameOf(here.state(), one().agent_id)}</bdi> may request web searches. Each search pauses
              the turn until a person approves exactly that query.
            </p>
            <Show when={egress.data()?.reason}>
              {(reason) => <p class="muted">Currently unavailable: {reason()}.</p>}
            </Show>
            <dl class="facts">
              <dt>Granted</dt>
              <dd>
                <Time time={one().created_at} relative /> by <bdi>{one().granted_by}</bdi>
              </dd>
              <dt>Signed in by</dt>
              <dd>{one().auth}</dd>
            </dl>
          </section>
          <Show when={isAdmin()} fallback={<p class="section muted">Only an admin can revoke the grant.</p>}>
            <Removal
              here={here}
              selection={{ kind: "grant", id: props.id }}
              action="Revoke internet"
              lost="It can no longer request searches. Its pending searches are rejected."
              asks
            />
          </Show>
        </>
      )}
    </Show>
  );
}

function Gone(props: { readonly what: string }): JSX.Element {
  return <p class="section muted">This {props.what} no longer exists.</p>;
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

/** The time of creation and, for admins, the creator from the audit. */
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
      Created <Time time={props.time} relative />
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
  /** It asks for confirmation and cannot be undone. */
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
        {props.asks ? "" : " You can undo this."}
      </p>
      <div>
        <Button kind="danger" small busy={busy()} onClick={() => void remove()}>
          {props.action}
        </Button>
      </div>
    </section>
  );
}
