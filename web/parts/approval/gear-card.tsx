// A pending gear: what it is, where it comes from, its code or diff, and the decision.

import { A } from "@solidjs/router";
import { createMemo, createSignal, type JSX, Match, onMount, Show, Switch } from "solid-js";
import type { ApprovalCallers } from "../../../src/service/approvals/schema.ts";
import type { Gear, GearDetail } from "../../../src/service/gears/schema.ts";
import { bytes } from "../../kit/format.ts";
import { Time } from "../../kit/pieces.tsx";
import { ProblemNotice, Skeleton } from "../../kit/states.tsx";
import { isolationLost } from "../../state/gear-state.ts";
import { workspacesQuery } from "../../state/lists.ts";
import { callersText } from "./callers.ts";
import { gearQuery } from "../gear/gear-queries.ts";
import { type ApprovalCardProps, CardFrame, Settled } from "./card-parts.tsx";
import { GearDecision } from "./gear-decision.tsx";
import { createLooked } from "./looked.ts";

export function GearCard(props: ApprovalCardProps): JSX.Element {
  const id = () => props.approval.id;
  const gear = gearQuery(id);
  const [fresh, setFresh] = createSignal(false);
  onMount(() => void gear.refresh().finally(() => setFresh(true)));
  /** Not an earlier version from the cache, which would then stay. */
  const shown = createMemo<boolean>(
    (before) => before || fresh() || gear.data()?.content_hash === props.approval.content_hash,
    false,
  );
  const title = () => {
    const found = gear.data();
    if (found && isolationLost(found)) return "A gear approved to run isolated has lost its isolation";
    return props.approval.agent === null
      ? `${props.approval.requested_by} asks to approve a gear`
      : `${props.approval.agent} asks to approve a gear`;
  };
  return (
    <CardFrame title={title()} compact={props.compact}>
      <Switch fallback={<Skeleton />}>
        <Match when={gear.gone() || gear.problem()?.code === "not_found"}>
          <Settled>This gear was deleted.</Settled>
        </Match>
        <Match when={gear.problem()}>
          {(problem) => <ProblemNotice problem={problem()} onRetry={() => void gear.refresh()} />}
        </Match>
        <Match when={shown() && gear.data()}>
          {(found) => (
            <Found
              gear={found()}
              callers={props.approval.callers}
              autofocus={props.autofocus}
              onSettled={props.onSettled}
            />
          )}
        </Match>
      </Switch>
    </CardFrame>
  );
}

function Found(props: {
  readonly gear: GearDetail;
  readonly callers: ApprovalCallers | null | undefined;
  readonly autofocus: boolean | undefined;
  readonly onSettled: (() => void) | undefined;
}): JSX.Element {
  const looked = createLooked(() => props.gear);
  return (
    <>
      <Facts gear={looked.gear()} callers={props.callers} />
      <GearDecision looked={looked} autofocus={props.autofocus} onSettled={props.onSettled} />
    </>
  );
}

function Facts(props: {
  readonly gear: Gear;
  readonly callers: ApprovalCallers | null | undefined;
}): JSX.Element {
  const workspaces = workspacesQuery();
  const workspace = () => workspaces.data()?.find(({ id }) => id === props.gear.workspace_id)?.display_name;
  return (
    <>
      <div class="approval-text">
        <A href={`/gears/${props.gear.id}/review`} class="mono strong">
          {props.gear.name}
        </A>
        <span class="muted small"> version {props.gear.version}</span>
        <Show when={props.gear.description}>
          <div class="small" dir="auto">
            {props.gear.description}
          </div>
        </Show>
      </div>
      <dl class="facts">
        <dt>{props.gear.forged_by === null ? "Author" : "Forged by"}</dt>
        <dd>
          <Show when={props.gear.forged_by} fallback={<bdi>{props.gear.author}</bdi>}>
            {(agent) => (
              <>
                <bdi>{agent()}</bdi>
                <Show when={workspace()}>
                  {(name) => (
                    <>
                      {" in "}
                      <bdi>{name()}</bdi>
                    </>
                  )}
                </Show>
                , for <bdi>{props.gear.author}</bdi>
              </>
            )}
          </Show>
          , <Time time={props.gear.updated_at} relative />
        </dd>
        <dt>Runs</dt>
        <dd classList={{ "approval-warning": !props.gear.isolated }}>
          {props.gear.isolated
            ? "isolated, in a container without network access"
            : "NOT isolated, with the server's own access"}
        </dd>
        <dt>Size</dt>
        <dd>
          {bytes(props.gear.code_bytes)}, {props.gear.runtime}
        </dd>
        <Show when={props.callers}>
          {(callers) => (
            <>
              <dt>Callers</dt>
              <dd>{callersText(callers())}</dd>
            </>
          )}
        </Show>
      </dl>
    </>
  );
}
