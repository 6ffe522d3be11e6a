// A pending web search: the exact query, who asks on whose behalf, its overlap with the conversation, and the time left.

import { For, type JSX, Match, Show, Switch } from "solid-js";
import type { EgressRequest } from "../../../src/service/egress/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { createCountdown } from "../../kit/countdown.ts";
import { duration, sentence } from "../../kit/format.ts";
import { ProblemNotice, Skeleton } from "../../kit/states.tsx";
import { isAdmin, me } from "../../state/session.ts";
import { type ApprovalCardProps, CardFrame, DecisionRow, Settled, WhoCan } from "./card-parts.tsx";
import { createDecision, type Decision } from "./decision.ts";

/** Someone else may decide while it is on the screen. */
const LOOKED_AT_EVERY_MS = 5_000;

/** Null if it is no longer pending. */
async function readPending(id: number): Promise<EgressRequest | null> {
  const pending = await take(api.egress.pending.get());
  return pending.find((request) => request.id === id) ?? null;
}

/** The outcome; only admins may read the log. */
async function readOutcome(id: number): Promise<EgressRequest | null> {
  const [request] = await take(api.egress.log.get({ query: { before: id + 1, limit: 1 } }));
  return request?.id === id ? request : null;
}

export function SearchCard(props: ApprovalCardProps): JSX.Element {
  const request = createQuery(
    () => ({ key: ["egress", "pending", props.approval.id], read: () => readPending(props.approval.id) }),
    { every: LOOKED_AT_EVERY_MS },
  );
  const decision = createDecision(
    () => void request.refresh(),
    () => props.onSettled?.(),
  );
  const asks = () => `${props.approval.agent ?? props.approval.requested_by} asks to search the web`;
  let seen: EgressRequest | undefined;
  /** The facts stay on the screen after the decision. */
  const shown = () => (seen = request.data() ?? seen);
  return (
    <CardFrame title={asks()} compact={props.compact}>
      <Switch fallback={<Skeleton />}>
        <Match when={shown()}>{(found) => <Facts request={found()} compact={props.compact} />}</Match>
        <Match when={request.problem()}>
          {(problem) => <ProblemNotice problem={problem()} onRetry={() => void request.refresh()} />}
        </Match>
        <Match when={request.data() === null}>
          <div class="approval-text mono">{props.approval.title}</div>
        </Match>
      </Switch>
      <Switch>
        <Match when={decision.settled()}>{(words) => <Settled>{words()}</Settled>}</Match>
        <Match when={request.data() === null}>
          <Outcome id={props.approval.id} />
        </Match>
        <Match when={request.data()}>
          {(found) => <Buttons request={found()} decision={decision} autofocus={props.autofocus} />}
        </Match>
      </Switch>
    </CardFrame>
  );
}

function Facts(props: {
  readonly request: EgressRequest;
  readonly compact: boolean | undefined;
}): JSX.Element {
  const facts = () => props.request.facts;
  const left = createCountdown(() => props.request.expires_at);
  const asker = () => (props.request.asked_by === me()?.name ? "you" : props.request.asked_by);
  return (
    <>
      <div class="approval-text mono" dir="auto">
        {props.request.query}
      </div>
      <dl class="facts">
        <dt>Sent to</dt>
        <dd>Brave Search, this exact text and nothing else</dd>
        <dt>Chain</dt>
        <dd>
          <bdi>{asker()}</bdi>
          <For each={props.request.chain}>
            {(name) => (
              <>
                {" → "}
                <bdi>{name}</bdi>
              </>
            )}
          </For>
        </dd>
        <Show when={!props.compact}>
          <dt>In</dt>
          <dd>
            <a href={`/workspaces/${props.request.workspace_id}`}>{props.request.workspace}</a>
          </dd>
        </Show>
        <dt>Overlap</dt>
        <dd>
          <Show when={facts().overlap} fallback="none with the conversation">
            {(overlap) => (
              <>
                “<bdi>{overlap().text}</bdi>” was said in this workspace
              </>
            )}
          </Show>
        </dd>
        <Show when={facts().opaque_words.length > 0}>
          <dt>Looks secret</dt>
          <dd class="approval-warning">
            {facts().opaque_words.join(", ")}: mixed letters and digits, as in a key or an id
          </dd>
        </Show>
        <Show when={facts().unusual_characters.length > 0}>
          <dt>Characters</dt>
          <dd class="approval-warning">not plain Latin: {facts().unusual_characters.join(", ")}</dd>
        </Show>
        <dt>Expires</dt>
        <dd class="num">
          <span role="timer">
            <Show when={left() > 0} fallback="now. Without a decision nothing is sent.">
              in {timeLeft(left())}. Without a decision nothing is sent.
            </Show>
          </span>
        </dd>
      </dl>
    </>
  );
}

function Buttons(props: {
  readonly request: EgressRequest;
  readonly decision: Decision;
  readonly autofocus: boolean | undefined;
}): JSX.Element {
  const send = (decision: "approve" | "refuse") => {
    const { id, query_hash } = props.request;
    return take(api.egress.requests({ id }).decision.post({ decision, query_hash }));
  };
  return (
    <Show
      when={isAdmin()}
      fallback={<WhoCan hash={props.request.query_hash}>Only admins can decide on searches.</WhoCan>}
    >
      <DecisionRow
        decision={props.decision}
        autofocus={props.autofocus}
        hash={props.request.query_hash}
        reject={{ label: "Reject", done: "Rejected by you. Nothing was sent.", send: () => send("refuse") }}
        approve={{
          label: "Approve",
          done: "Approved by you, for this one search.",
          send: () => send("approve"),
        }}
      />
    </Show>
  );
}

const OUTCOMES: Readonly<Record<EgressRequest["state"], string>> = {
  pending: "No longer pending.",
  approved: "Approved",
  refused: "Rejected",
  expired: "Expired without a decision. Nothing was sent.",
  done: "Approved",
  failed: "Approved, but the search failed",
};

/** For a search that someone else decided on, or that expired. */
function Outcome(props: { readonly id: number }): JSX.Element {
  const outcome = createQuery(() =>
    isAdmin() ? { key: ["egress", "log", props.id], read: () => readOutcome(props.id) } : undefined,
  );
  const words = () => {
    const request = outcome.data();
    if (!request) return "No longer pending. It was decided or has expired.";
    const by = request.decided_by === null ? "" : ` by ${request.decided_by}`;
    const said = `${OUTCOMES[request.state]}${by}`;
    return [said, request.reason ?? ""].map(sentence).join(" ").trimEnd();
  };
  return <Settled>{words()}</Settled>;
}

/** `9 min 12 s`, and below a minute whole seconds. */
export function timeLeft(ms: number): string {
  return ms < 60_000 ? `${Math.ceil(ms / 1000)} s` : duration(ms);
}
