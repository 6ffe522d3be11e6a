// A pending gear: what it is and where it comes from. The decision needs the code in view, so it is made on the review page.

import { A } from "@solidjs/router";
import { type JSX, Match, Show, Switch } from "solid-js";
import type { ApprovalCallers } from "../../../src/service/approvals/schema.ts";
import type { Gear } from "../../../src/service/gears/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { bytes } from "../../kit/format.ts";
import { Time } from "../../kit/pieces.tsx";
import { ProblemNotice, Skeleton } from "../../kit/states.tsx";
import { isolationLost } from "../../state/gear-state.ts";
import { workspacesQuery } from "../../state/lists.ts";
import { isAdmin } from "../../state/session.ts";
import { callersText } from "./callers.ts";
import { type ApprovalCardProps, CardFrame, HashText, Settled, WhoCan } from "./card-parts.tsx";

export function GearCard(props: ApprovalCardProps): JSX.Element {
  const id = () => props.approval.id;
  const gear = createQuery(() => ({
    key: ["gears", "one", id()],
    read: () => take(api.gears({ id: id() }).get()),
  }));
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
        <Match when={gear.problem()?.code === "not_found"}>
          <Settled>This gear was deleted.</Settled>
        </Match>
        <Match when={gear.problem()}>
          {(problem) => <ProblemNotice problem={problem()} onRetry={() => void gear.refresh()} />}
        </Match>
        <Match when={gear.data()}>
          {(found) => (
            <>
              <Facts gear={found()} callers={props.approval.callers} />
              <Next gear={found()} autofocus={props.autofocus} />
            </>
          )}
        </Match>
      </Switch>
    </CardFrame>
  );
}

function Facts(props: {
  readonly gear: Gear;
  readonly callers: ApprovalCallers | null | undefined;
}): JSX.Element {
  const workspaces = workspacesQuery();
  const workspace = () => workspaces.data()?.find(({ id }) => id === props.gear.workspace_id)?.name;
  return (
    <>
      <div class="approval-text">
        <span class="mono strong">{props.gear.name}</span>
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

function Next(props: { readonly gear: Gear; readonly autofocus: boolean | undefined }): JSX.Element {
  return (
    <Switch>
      <Match when={props.gear.status !== "pending" && !isolationLost(props.gear)}>
        <Settled>
          {props.gear.status === "approved"
            ? `Approved by ${props.gear.approval?.user ?? "an admin"}.`
            : "Disabled. It does not run."}{" "}
          <A href={`/gears/${props.gear.id}/review`}>Show gear</A>
        </Settled>
      </Match>
      <Match when={!isAdmin()}>
        <WhoCan hash={props.gear.content_hash}>
          Admins decide on gears. <A href={`/gears/${props.gear.id}/review`}>Show code</A>
        </WhoCan>
      </Match>
      <Match when={true}>
        <div class="approval-actions">
          <A
            class="btn primary"
            href={`/gears/${props.gear.id}/review`}
            ref={(element: HTMLElement) => {
              if (props.autofocus) queueMicrotask(() => element.focus({ preventScroll: true }));
            }}
          >
            Review
          </A>
          <HashText hash={props.gear.content_hash} />
        </div>
      </Match>
    </Switch>
  );
}
