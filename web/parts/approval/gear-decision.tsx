// The decision on a gear: its code or the diff from the last approved version, and the buttons for exactly this content. The same in the
// conversation, under Approvals and on the gear's page. Approve is not the primary button until all of the content was on the screen.

import { A } from "@solidjs/router";
import { For, type JSX, Match, onCleanup, Show, Switch } from "solid-js";
import type { GearDetail } from "../../../src/service/gears/schema.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { tell } from "../../kit/toast.tsx";
import { shortHash } from "../../kit/format.ts";
import { isolationLost } from "../../state/gear-state.ts";
import { isAdmin } from "../../state/session.ts";
import { DecisionLine } from "../gear/decision-line.tsx";
import { decide, lastApproved } from "../gear/gear-queries.ts";
import { spacedHash } from "../gear/gear-words.tsx";
import { createSeen } from "../gear/seen.ts";
import { CANCELLED, createDecision } from "./decision.ts";
import { DecisionRow, Settled, WhoCan } from "./card-parts.tsx";
import { Compared } from "./gear-compared.tsx";
import type { Looked } from "./looked.ts";

interface GearDecisionProps {
  readonly looked: Looked;
  /** On the gear's own page: all of the content, and decisions can be changed. */
  readonly whole?: boolean;
  readonly autofocus?: boolean | undefined;
  readonly onSettled?: (() => void) | undefined;
}

export function GearDecision(props: GearDecisionProps): JSX.Element {
  const gear = () => props.looked.gear();
  const seen = createSeen(() => gear().content_hash);
  const isOpen = () => gear().status === "pending" || isolationLost(gear());
  const content = () => <Compared gear={gear()} end={<div class="approval-end" ref={seen.end} />} />;
  return (
    <>
      <Show when={props.looked.outdated()}>
        <Outdated looked={props.looked} />
      </Show>
      <Show
        when={props.whole}
        fallback={
          <Show when={isOpen()}>
            <div class="approval-content" tabIndex={0} role="group" aria-label={`Content of ${gear().name}`}>
              {content()}
            </div>
          </Show>
        }
      >
        {content()}
      </Show>
      <div class="approval-decision" role="group" aria-label={`Decision on ${gear().name}`}>
        <Show when={isolationLost(gear())}>
          <p class="small gear-warn">
            This gear was approved to run isolated, but gears are not isolated now. It does not run until the
            container runtime is back and the service has restarted, or until you approve it again.
          </p>
        </Show>
        <Show when={!isOpen()}>
          <Standing gear={gear()} whole={props.whole} />
        </Show>
        <Switch>
          <Match when={!isAdmin()}>
            <Show when={isOpen()}>
              <WhoCan hash={gear().content_hash}>Admins decide on gears.</WhoCan>
            </Show>
          </Match>
          <Match when={isOpen() || props.whole}>
            {/* A new content or status is a new decision, with buttons that are not armed yet. */}
            <For each={[`${gear().content_hash} ${gear().status} ${isolationLost(gear())}`]}>
              {() => (
                <Buttons
                  {...props}
                  gear={gear()}
                  seen={seen.all()}
                  onShowRest={seen.show}
                  outdated={props.looked.outdated()}
                />
              )}
            </For>
          </Match>
        </Switch>
      </div>
    </>
  );
}

/** The decision on the shown content. */
function Standing(props: { readonly gear: GearDetail; readonly whole: boolean | undefined }): JSX.Element {
  const last = () =>
    props.gear.status === "approved" ? lastApproved(props.gear) : props.gear.decisions.at(-1);
  return (
    <Settled>
      <Show when={last()} fallback={props.gear.status === "approved" ? "Approved." : "Rejected."}>
        {(decision) => <DecisionLine decision={decision()} among={props.gear.decisions} />}
      </Show>
      {props.gear.status === "disabled" ? " It does not run." : ""}
      <Show when={!props.whole}>
        {" "}
        <A href={`/gears/${props.gear.id}/review`}>Open gear</A>
      </Show>
    </Settled>
  );
}

function Outdated(props: { readonly looked: Looked }): JSX.Element {
  const latest = () => props.looked.latest().version;
  return (
    <div class="notice wait gear-outdated" role="alert">
      <div>
        Version {latest()} was saved while you were reviewing version {props.looked.gear().version}. Only the
        current version can be approved.
      </div>
      <Button small onClick={() => props.looked.showLatest()}>
        Show version {latest()}
      </Button>
    </div>
  );
}

function Buttons(
  props: GearDecisionProps & {
    readonly gear: GearDetail;
    readonly seen: boolean;
    readonly onShowRest: () => void;
    readonly outdated: boolean;
  },
): JSX.Element {
  const decision = createDecision(
    () => {},
    () => props.onSettled?.(),
  );
  const short = () => shortHash(props.gear.content_hash);
  const approves = () => props.gear.status !== "approved" || isolationLost(props.gear);
  // A decision of someone else, or another version, replaces these buttons.
  const over = new AbortController();
  onCleanup(() => over.abort());
  const approve = async () => {
    const gear = props.gear;
    if (!gear.isolated && !(await confirmed(gear, over.signal))) return CANCELLED;
    return decide(gear, { status: "approved" });
  };
  return (
    <>
      <Show when={approves() && !props.seen && !props.outdated}>
        <p class="row small gear-unseen">
          <span>You have not seen all of the content yet.</span>
          <Button small onClick={() => props.onShowRest()}>
            Show rest
          </Button>
        </p>
      </Show>
      <DecisionRow
        decision={decision}
        autofocus={props.autofocus}
        reject={
          props.gear.status === "disabled"
            ? undefined
            : {
                label: props.gear.status === "pending" ? "Reject" : "Disable",
                done: "Rejected by you. It does not run.",
                send: () => decide(props.gear, { status: "disabled" }),
              }
        }
        approve={
          approves()
            ? {
                label: `Approve ${short()}`,
                title: `SHA-256 ${props.gear.content_hash}`,
                done: `Approved ${short()}.`,
                disabled: props.outdated,
                inviting: props.seen,
                send: approve,
              }
            : undefined
        }
      >
        <span class="small" classList={{ muted: props.gear.isolated, "gear-bad": !props.gear.isolated }}>
          {props.gear.isolated ? "runs isolated" : "not isolated"}
        </span>
      </DecisionRow>
    </>
  );
}

async function confirmed(gear: GearDetail, until: AbortSignal): Promise<boolean> {
  const yes = await confirm({
    until,
    title: `Approve ${gear.name} without isolation?`,
    text: (
      <div class="stack">
        <p>
          Gears are not isolated on this server. This program will run with the server's own access: it can
          read and change all files and the database, read the stored provider keys, use the network and call
          this API.
        </p>
        <p>This approval is the only control.</p>
        <p class="mono muted">sha256 {spacedHash(gear.content_hash)}</p>
      </div>
    ),
    action: "Approve without isolation",
  });
  if (until.aborted) tell(`${gear.name} has changed in the meantime. Nothing was approved here.`);
  return yes;
}
