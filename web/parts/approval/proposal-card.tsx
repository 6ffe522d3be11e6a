// An instruction that an agent proposes for the library: its full text, or the changes to the current version.

import { type JSX, Match, Show, Switch } from "solid-js";
import type { Instruction, Proposal } from "../../../src/service/library/schema.ts";
import { api, take } from "../../api/client.ts";
import { asProblem } from "../../api/problem.ts";
import { createQuery, refresh } from "../../api/query.ts";
import { DiffView } from "../../kit/diff-view.tsx";
import { Time } from "../../kit/pieces.tsx";
import { ProblemNotice, Skeleton } from "../../kit/states.tsx";
import { isAdmin, me } from "../../state/session.ts";
import { type ApprovalCardProps, CardFrame, DecisionRow, Settled, WhoCan } from "./card-parts.tsx";
import { createDecision, type Decision } from "./decision.ts";

const LOOKED_AT_EVERY_MS = 10_000;

export function ProposalCard(props: ApprovalCardProps): JSX.Element {
  const id = () => props.approval.id;
  const proposal = createQuery(
    () => ({
      key: ["proposals", id()],
      read: () => take(api["instruction-proposals"]({ id: id() }).get()),
    }),
    { every: LOOKED_AT_EVERY_MS },
  );
  const instructionId = () => proposal.data()?.instruction_id ?? null;
  /** The current version; null if there is none. */
  const current = createQuery<Instruction | null>(() => {
    const instruction = instructionId();
    return instruction === null
      ? undefined
      : { key: ["instructions", "one", instruction], read: () => readInstruction(instruction) };
  });
  const decision = createDecision(
    () => void Promise.all([proposal.refresh(), refresh("instructions"), refresh("instruction")]),
    () => props.onSettled?.(),
  );
  const title = () => {
    const found = proposal.data();
    const what = found?.base_version === null ? "add an instruction" : "change an instruction";
    return `${props.approval.agent ?? props.approval.requested_by} asks to ${what}`;
  };
  const ready = () => instructionId() === null || current.data() !== undefined;
  return (
    <CardFrame title={title()} compact={props.compact}>
      <Switch fallback={<Skeleton />}>
        <Match when={proposal.problem() ?? current.problem()}>
          {(problem) => <ProblemNotice problem={problem()} onRetry={() => void proposal.refresh()} />}
        </Match>
        <Match when={ready() && proposal.data()}>
          {(found) => (
            <>
              <Wording proposal={found()} current={current.data() ?? undefined} />
              <Next
                proposal={found()}
                current={current.data() ?? undefined}
                decision={decision}
                autofocus={props.autofocus}
              />
            </>
          )}
        </Match>
      </Switch>
    </CardFrame>
  );
}

async function readInstruction(id: number): Promise<Instruction | null> {
  try {
    return await take(api.instructions({ id }).get());
  } catch (error) {
    if (asProblem(error).code === "not_found") return null;
    throw error;
  }
}

interface Shown {
  readonly proposal: Proposal;
  readonly current: Instruction | undefined;
}

/** Whether the version that the proposal changes is still current: only then is a diff meaningful. */
function isCurrent({ proposal, current }: Shown): boolean {
  return (current?.version ?? null) === proposal.base_version;
}

function Wording(props: Shown): JSX.Element {
  const before = () => (props.current && isCurrent(props) ? props.current.text : "");
  return (
    <>
      <div class="approval-diff">
        <DiffView
          fileName={props.proposal.name}
          before={before()}
          after={props.proposal.text}
          note={
            props.proposal.base_version === null
              ? "new"
              : `version ${props.proposal.base_version} → this proposal`
          }
          language="markdown"
          wrap
        />
      </div>
      <dl class="facts">
        <dt>Proposed by</dt>
        <dd>
          <bdi>{props.proposal.agent}</bdi>, in a turn of <bdi>{props.proposal.requested_by}</bdi>,{" "}
          <Time time={props.proposal.created_at} relative />
        </dd>
        <Show when={props.proposal.tainted}>
          <dt>Warning</dt>
          <dd class="approval-warning">written after the turn had read text from outside</dd>
        </Show>
      </dl>
    </>
  );
}

const STATUSES = { accepted: "Approved", refused: "Rejected", pending: "" } as const;

function Next(
  props: Shown & { readonly decision: Decision; readonly autofocus: boolean | undefined },
): JSX.Element {
  const mayDecide = () => isAdmin() || !props.current || props.current.author_id === me()?.id;
  const send = (decision: "accept" | "refuse") => {
    const { id, content_hash } = props.proposal;
    return take(api["instruction-proposals"]({ id }).decision.post({ decision, content_hash }));
  };
  return (
    <Switch>
      <Match when={props.decision.settled()}>{(words) => <Settled>{words()}</Settled>}</Match>
      <Match when={props.proposal.status !== "pending"}>
        <Settled>
          {STATUSES[props.proposal.status]} by {props.proposal.decided_by ?? "someone else"}.
        </Settled>
      </Match>
      <Match when={!mayDecide()}>
        <WhoCan hash={props.proposal.content_hash}>
          Only its author, {props.current?.author}, and admins can decide on changes to this instruction.
        </WhoCan>
      </Match>
      <Match when={true}>
        <Show when={!isCurrent(props)}>
          <p class="approval-warning small">
            The instruction was changed or deleted after this was proposed, so it can only be rejected. Ask
            for a new proposal.
          </p>
        </Show>
        <DecisionRow
          decision={props.decision}
          autofocus={props.autofocus}
          hash={props.proposal.content_hash}
          reject={{
            label: "Reject",
            done: "Rejected by you. Nothing was changed.",
            send: () => send("refuse"),
          }}
          approve={
            isCurrent(props)
              ? {
                  label: "Approve",
                  done: "Approved by you. It is part of the next prompt of every agent that it is bound to.",
                  send: () => send("accept"),
                }
              : undefined
          }
        />
      </Match>
    </Switch>
  );
}
