// An entry of the conversation: kind, speaker, tokens, and whether it is still sent to the model.

import { A } from "@solidjs/router";
import { createMemo, type JSX, Show } from "solid-js";
import type { Entry } from "../../../src/service/conversation/schema.ts";
import type { CallSummary } from "../../../src/service/turns/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { createAction } from "../../kit/action.ts";
import { Button } from "../../kit/button.tsx";
import { tokens } from "../../kit/format.ts";
import { CopyButton, Time } from "../../kit/pieces.tsx";
import { FoldedText } from "../../kit/prompt-parts.tsx";
import { Skeleton } from "../../kit/states.tsx";
import { useHere } from "../../state/here.ts";
import { TurnNumber } from "../../state/turn-number.tsx";
import { clearTaint, isTainting, TAINT_LABEL, TRUNCATION_LABELS } from "../../state/taint.ts";
import { nameOf, senderOf } from "../../state/workspace-state.ts";
import { AskedCalls } from "./asked-calls.tsx";
import { Gone, InspectorHeader } from "./header.tsx";
import { useInspectHref } from "./sources.ts";
import { entryById } from "./turn-entries.ts";

const KINDS: Readonly<Record<Entry["kind"], string>> = {
  person: "Message",
  task: "Task",
  agent: "Answer",
  tool: "Tool result",
};

export function EntryInspector(props: { readonly id: number }): JSX.Element {
  const entry = entryById(() => props.id);
  const found = createMemo(() => {
    const read = entry();
    return read === null || read?.id === props.id ? read : undefined;
  });
  return (
    <Show when={found() !== null} fallback={<Gone what="entry" />}>
      <Show
        when={found()}
        fallback={
          <>
            <InspectorHeader title={`Entry ${props.id}`} />
            <Skeleton label="Entry" />
          </>
        }
      >
        {(read) => <OneEntry entry={read()} />}
      </Show>
    </Show>
  );
}

function OneEntry(props: { readonly entry: Entry }): JSX.Element {
  return (
    <>
      <InspectorHeader
        title={`${KINDS[props.entry.kind]} · entry ${props.entry.id}`}
        end={
          <>
            <Show when={props.entry.tainted}>
              <span class="tag wait">{TAINT_LABEL}</span>
            </Show>
            <Show when={props.entry.forgotten}>
              <span class="tag">forgotten</span>
            </Show>
          </>
        }
      />
      <section class="section stack">
        <Facts entry={props.entry} />
        <Replay entry={props.entry} />
        <Show when={props.entry.tainted}>
          <Taint entry={props.entry} />
        </Show>
      </section>
      <section class="section">
        <div class="inspector-line">
          <h3 class="heading">Text</h3>
          <Show when={props.entry.text !== ""}>
            <CopyButton text={props.entry.text} label="Copy text" />
          </Show>
        </div>
        <Show when={props.entry.text !== ""} fallback={<p class="muted">No text.</p>}>
          <FoldedText text={props.entry.text} />
        </Show>
        <AskedCalls calls={props.entry.calls} />
      </section>
    </>
  );
}

function Facts(props: { readonly entry: Entry }): JSX.Element {
  const here = useHere();
  const turn = () => here.state().turns.find(({ id }) => id === props.entry.turn_id);
  const sender = () => {
    const found = turn();
    return found ? senderOf(found) : "a user";
  };
  const speaker = () =>
    props.entry.kind === "person" ? sender() : nameOf(here.state(), props.entry.agent_id);
  return (
    <dl class="facts">
      <dt>{props.entry.kind === "task" ? "For" : props.entry.kind === "tool" ? "Called by" : "From"}</dt>
      <dd>
        <bdi>{speaker()}</bdi>
      </dd>
      <Show when={props.entry.tool}>
        <dt>Tool</dt>
        <dd>
          <code>{props.entry.tool}</code>
          {props.entry.outcome === null ? "" : `, ${props.entry.outcome}`}
        </dd>
      </Show>
      <dt>Time</dt>
      <dd>
        <Time time={props.entry.created_at} />
        {", "}
        <A href={`/workspaces/${here.id}/activity?turn=${props.entry.turn_id}`}>
          turn <TurnNumber id={props.entry.turn_id} />
        </A>
      </dd>
      <Tokens entry={props.entry} />
      <Show when={props.entry.partial}>
        <dt>State</dt>
        <dd>interrupted</dd>
      </Show>
      <Show when={props.entry.truncated}>
        {(why) => (
          <>
            <dt>State</dt>
            <dd>{TRUNCATION_LABELS[why()]}</dd>
          </>
        )}
      </Show>
      <Show when={props.entry.dropped_calls.length > 0}>
        <dt>Not called</dt>
        <dd>
          <code>{props.entry.dropped_calls.join(", ")}</code>
        </dd>
      </Show>
    </dl>
  );
}

/** Its tokens in a prompt, if a prompt has them, and the first call that sent it. */
function Tokens(props: { readonly entry: Entry }): JSX.Element {
  const here = useHere();
  const inspect = useInspectHref();
  const sent = createQuery(() => {
    const { entry } = props;
    const { turns } = here.state();
    const next = turns.find(({ id }) => id > entry.turn_id)?.id;
    return { key: ["entry-sent", entry.id, next ?? 0], read: () => firstSent(entry, next) };
  });
  const weight = createQuery(() => {
    const { entry } = props;
    const call = sent.data()?.id;
    const source = `entry:${entry.id}`;
    if (call === undefined) return undefined;
    return {
      key: ["entry-tokens", entry.id],
      read: async () => {
        const { parts } = await take(api.calls({ id: call }).get());
        return parts.find((part) => part.source === source)?.tokens ?? null;
      },
    };
  });
  return (
    <>
      <Show when={weight.data()}>
        {(value) => (
          <>
            <dt>Tokens</dt>
            <dd class="num">≈ {tokens(value())}</dd>
          </>
        )}
      </Show>
      <Show when={sent.data()}>
        {(call) => (
          <>
            <dt>First sent in</dt>
            <dd>
              <A href={inspect({ kind: "call", id: call().id })} noScroll>
                a model call of turn <TurnNumber id={call().turn_id} />
              </A>
            </dd>
          </>
        )}
      </Show>
    </>
  );
}

/** The next model call of its run. Entries of the orchestrator are replayed, so the next turn's first call counts, too. */
async function firstSent(entry: Entry, nextTurn: number | undefined): Promise<CallSummary | null> {
  const after = Date.parse(entry.created_at);
  const calls = await take(api.turns({ id: entry.turn_id }).calls.get());
  const own = calls.find((call) => call.run_id === entry.run_id && Date.parse(call.started_at) >= after);
  if (own || entry.thread !== 0 || nextTurn === undefined) return own ?? null;
  const later = await take(api.turns({ id: nextTurn }).calls.get());
  return later.find(({ agent_id: agent }) => agent === entry.agent_id) ?? null;
}

/** Only the conversation with the orchestrator is replayed; a worker starts fresh with each task. */
function Replay(props: { readonly entry: Entry }): JSX.Element {
  const change = createAction(() => {
    const of = api.entries({ id: props.entry.id });
    return props.entry.forgotten ? take(of.restore.post()) : take(of.delete());
  });
  return (
    <Show
      when={props.entry.thread === 0}
      fallback={
        <p class="small muted">
          Part of a worker's run. It was only sent within that run and is not replayed.
        </p>
      }
    >
      <p class="small muted">
        {props.entry.forgotten
          ? "No longer sent to the model. Past model calls still show it."
          : "Sent to the orchestrator's model with every message."}
      </p>
      <div>
        <Button small busy={change.busy()} onClick={() => void change.run()}>
          {props.entry.forgotten ? "Restore" : "Forget"}
        </Button>
      </div>
    </Show>
  );
}

/** Explains the mark and offers to clear it. */
function Taint(props: { readonly entry: Entry }): JSX.Element {
  const clearing = createAction(() => clearTaint(props.entry.id));
  return (
    <>
      <p class="small muted">
        Contains text from the web or an untrusted file, or was written by an agent that had read some. An
        agent that receives it gets no tools that write durably.
        {isTainting(props.entry)
          ? " Clear the mark if you have read the entry and vouch for it. The audit records that."
          : ""}
      </p>
      <Show when={isTainting(props.entry)}>
        <div>
          <Button small busy={clearing.busy()} onClick={() => void clearing.run()}>
            Clear mark
          </Button>
        </div>
      </Show>
    </>
  );
}
