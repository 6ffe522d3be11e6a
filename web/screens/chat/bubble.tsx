// One agent's contribution to a turn: its answers with their tool calls, the text it is streaming, and its pending approvals.

import { createMemo, For, Index, type JSX, Show } from "solid-js";
import { tokens } from "../../kit/format.ts";
import { later } from "../../kit/later.tsx";
import { Markdown, Plain } from "../../kit/markdown.tsx";
import { Time } from "../../kit/pieces.tsx";
import { FailureNotice } from "../../kit/states.tsx";
import { AgentAvatar } from "../../parts/agent/agent-avatar.tsx";
import { useHere } from "../../state/here.ts";
import type { Bubble, Decided, Segment } from "../../state/transcript.ts";
import { nameOf } from "../../state/workspace-state.ts";
import { EntryLabels } from "./entry-labels.tsx";
import { EntryMenu } from "./entry-menu.tsx";
import { useRoom } from "./room.ts";
import { ToolChip } from "./tool-chip.tsx";

/** Loads with the first approval. */
const ApprovalCard = later(async () => (await import("../../parts/approval/approval-card.tsx")).ApprovalCard);
const DecidedLines = later(async () => (await import("./decided.tsx")).DecidedLines);

const DEPTH_SHOWN_MAX = 4;
/** Shown of a closed fold: the start, or the end of text that is still streaming. */
const LINE_CHARACTERS_MAX = 200;

export function BubbleItem(props: { readonly item: Bubble }): JSX.Element {
  const here = useHere();
  const speech = createMemo(() => (props.item.live ? here.state().speech.get(props.item.runId) : undefined));
  const speaks = createMemo(
    () => speech() !== undefined && (speech()!.text !== "" || speech()!.reasoning !== ""),
  );
  /** The last part is the streamed text; it keeps its place when it becomes an entry. */
  const parts = createMemo<readonly (Segment | undefined)[]>(() =>
    speaks() ? [...props.item.segments, undefined] : props.item.segments,
  );
  const name = createMemo(() => nameOf(here.state(), props.item.agentId));
  return (
    <article
      class="chat-message"
      classList={{ worker: props.item.depth > 0 }}
      style={{ "--depth": Math.min(props.item.depth, DEPTH_SHOWN_MAX) }}
      data-entry={props.item.task?.id}
      aria-label={`${name()} answered`}
    >
      <AgentAvatar id={props.item.agentId} size="large" />
      <div class="chat-said">
        <Who item={props.item} name={name()} />
        <Show when={props.item.task}>{(task) => <Task text={task().text} key={`task-${task().id}`} />}</Show>
        <Index each={parts()}>
          {(segment, index) => (
            <OneAnswer
              bubble={props.item}
              place={`${props.item.key}-${index}`}
              segment={segment()}
              text={segment()?.entry.text ?? speech()?.text ?? ""}
              reasoning={segment()?.entry.reasoning ?? speech()?.reasoning ?? ""}
              name={name()}
            />
          )}
        </Index>
        <Asked asks={props.item.asks} decided={props.item.decided} />
        <Show when={props.item.failure}>{(failure) => <FailureNotice reason={failure().text} />}</Show>
      </div>
    </article>
  );
}

function Who(props: { readonly item: Bubble; readonly name: string }): JSX.Element {
  const here = useHere();
  const room = useRoom();
  const spent = createMemo(() => tokensOf(props.item));
  const run = createMemo(() => here.state().runs.get(props.item.runId));
  const first = () => props.item.segments[0]?.entry.created_at ?? props.item.task?.created_at;
  const caller = createMemo(() =>
    props.item.callerId === undefined ? undefined : nameOf(here.state(), props.item.callerId),
  );
  const chosen = createMemo(
    () => here.state().turns.findLast(({ id }) => id === props.item.turnId)?.model_id,
  );
  const facts = () =>
    [
      caller() === undefined ? room.modelName(props.item.agentId, chosen()) : `called by ${caller()}`,
      spent() === undefined ? undefined : `${tokens(spent()!)} tokens`,
    ].filter((fact) => fact !== undefined);
  return (
    <div class="chat-who">
      <button
        type="button"
        class="chat-name ellipsis"
        title={props.name}
        onClick={() => room.select({ kind: "agent", id: props.item.agentId })}
      >
        {props.name}
      </button>
      <span class="chat-when">
        <Show when={room.namesKnown()}>
          <span class="ellipsis">{facts().join(" · ")}</span>
          <Show when={first()}>
            {(time) => (
              <span class="chat-time">
                {facts().length > 0 ? " · " : ""}
                <Time time={time()} />
              </span>
            )}
          </Show>
        </Show>
      </span>
      <Show when={props.item.live && run()?.state === "thinking" && props.item.segments.length === 0}>
        <span class="dot busy" aria-hidden="true" />
      </Show>
    </div>
  );
}

/** The reported tokens of the model calls behind these answers; undefined if none was reported. */
function tokensOf({ segments }: Bubble): number | undefined {
  const reported = segments.flatMap(({ entry: { input_tokens: input, output_tokens: output } }) =>
    input === null && output === null ? [] : [(input ?? 0) + (output ?? 0)],
  );
  return reported.length === 0 ? undefined : reported.reduce((sum, one) => sum + one, 0);
}

function Task(props: { readonly text: string; readonly key: string }): JSX.Element {
  const room = useRoom();
  return (
    <Fold
      opened={room.isOpened(props.key)}
      onToggle={(button) => room.toggle(props.key, button)}
      title="Task"
      line={props.text.slice(0, LINE_CHARACTERS_MAX)}
    >
      <Plain text={props.text} />
    </Fold>
  );
}

function OneAnswer(props: {
  readonly bubble: Bubble;
  /** The same during and after streaming. */
  readonly place: string;
  readonly segment: Segment | undefined;
  readonly text: string;
  readonly reasoning: string;
  readonly name: string;
}): JSX.Element {
  const room = useRoom();
  const forgotten = () => props.segment?.entry.forgotten ?? false;
  const reasonKey = () => `reasoning-${props.place}`;
  return (
    <div
      class="chat-answer"
      classList={{ "chat-forgotten": forgotten() }}
      data-entry={props.segment?.entry.id}
    >
      <Show when={props.segment}>
        {(segment) => <EntryMenu entry={segment().entry} of={`this answer by ${props.name}`} />}
      </Show>
      <Show when={props.segment}>{(segment) => <EntryLabels entry={segment().entry} />}</Show>
      <Show when={props.reasoning !== ""}>
        <Fold
          opened={room.isOpened(reasonKey())}
          onToggle={(button) => room.toggle(reasonKey(), button)}
          title={props.segment || props.text !== "" ? "Reasoning" : "Reasoning…"}
          line={
            props.segment
              ? props.reasoning.slice(0, LINE_CHARACTERS_MAX)
              : props.reasoning.slice(-LINE_CHARACTERS_MAX)
          }
        >
          <Plain text={props.reasoning} />
        </Fold>
      </Show>
      <Show when={props.text !== ""}>
        <Markdown text={props.text} streaming={props.segment === undefined} />
      </Show>
      <For each={props.segment?.chips.map(({ key }) => key) ?? []}>
        {(key) => (
          <Show when={props.segment?.chips.find((chip) => chip.key === key)}>
            {(chip) => <ToolChip chip={chip()} bubble={props.bubble} />}
          </Show>
        )}
      </For>
      <Asked asks={props.segment?.asks ?? []} decided={props.segment?.decided ?? []} />
    </div>
  );
}

/** The decisions, and the questions that are still pending. */
function Asked(props: Pick<Bubble, "asks" | "decided">): JSX.Element {
  return (
    <>
      <Show when={props.decided.length > 0}>
        <DecidedLines decisions={props.decided} />
      </Show>
      <Show when={props.asks.length > 0}>
        <div class="chat-asks">
          <For each={props.asks}>
            {(approval) => (
              <ApprovalCard
                approval={approval}
                compact
                fallback={<div class="notice wait">{approval.title}</div>}
              />
            )}
          </For>
        </div>
      </Show>
    </>
  );
}

/** On their own, between turns. */
export function DecidedItem(props: { readonly item: Decided }): JSX.Element {
  return (
    <div class="chat-turn-end">
      <DecidedLines decisions={props.item.decisions} />
    </div>
  );
}

/** A line that unfolds. */
function Fold(props: {
  readonly opened: boolean;
  readonly onToggle: (button: HTMLElement) => void;
  readonly title: string;
  readonly line: string;
  readonly children: JSX.Element;
}): JSX.Element {
  return (
    <div class="chat-fold">
      <button
        type="button"
        aria-expanded={props.opened}
        onClick={({ currentTarget }) => props.onToggle(currentTarget)}
      >
        <span class="chat-fold-title">{props.title}</span>
        <Show when={!props.opened}>
          <span class="ellipsis" dir="auto">
            {props.line}
          </span>
        </Show>
      </button>
      <Show when={props.opened}>
        <div class="chat-fold-body">{props.children}</div>
      </Show>
    </div>
  );
}
