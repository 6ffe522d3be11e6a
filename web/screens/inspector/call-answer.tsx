// The model's answer: text, reasoning and requested tool calls, or the text streamed so far.

import { createMemo, type JSX, Show } from "solid-js";
import type { Entry } from "../../../src/service/conversation/schema.ts";
import type { Call } from "../../../src/service/turns/schema.ts";
import { CopyButton } from "../../kit/pieces.tsx";
import { FoldedText } from "../../kit/prompt-parts.tsx";
import { Skeleton } from "../../kit/states.tsx";
import { useHere } from "../../state/here.ts";
import { AskedCalls } from "./asked-calls.tsx";
import type { CallContext } from "./previous-call.ts";
import { turnEntries } from "./turn-entries.ts";

export function CallAnswer(props: {
  readonly call: Call;
  readonly context: CallContext | undefined;
}): JSX.Element {
  const here = useHere();
  const entries = turnEntries(() => props.call.turn_id);
  const answer = createMemo(() => answerOf(entries() ?? [], props.call, props.context));
  const speech = () =>
    props.call.status === "running" ? here.state().speech.get(props.call.run_id) : undefined;
  return (
    <Show
      when={answer()}
      fallback={
        <Show when={speech()} fallback={<Nothing call={props.call} known={entries() !== undefined} />}>
          {(said) => (
            <div aria-live="off">
              <Reasoning text={said().reasoning} />
              <pre class="prompt-text" dir="auto">
                {said().text}
              </pre>
            </div>
          )}
        </Show>
      }
    >
      {(entry) => (
        <>
          <div class="inspector-line">
            <p class="small muted">
              {entry().partial ? "Interrupted. This is the text received." : "As the model answered."}
            </p>
            <CopyButton text={entry().text} label="Copy answer" />
          </div>
          <Reasoning text={entry().reasoning ?? ""} />
          <Show when={entry().text !== ""}>
            <FoldedText text={entry().text} />
          </Show>
          <AskedCalls calls={entry().calls} />
        </>
      )}
    </Show>
  );
}

function Nothing(props: { readonly call: Call; readonly known: boolean }): JSX.Element {
  return (
    <Show when={props.known || props.call.status === "running"} fallback={<Skeleton />}>
      <p class="muted">{props.call.status === "running" ? "No text yet." : "No answer was recorded."}</p>
    </Show>
  );
}

function Reasoning(props: { readonly text: string }): JSX.Element {
  return (
    <Show when={props.text !== ""}>
      <details class="inspector-more">
        <summary class="small">Reasoning</summary>
        <FoldedText text={props.text} />
      </details>
    </Show>
  );
}

/** The agent's entry in its run between the start of this call and the next. */
function answerOf(
  entries: readonly Entry[],
  call: Call,
  context: CallContext | undefined,
): Entry | undefined {
  const from = Date.parse(call.started_at);
  const to = context?.next ? Date.parse(context.next.started_at) : Infinity;
  return entries.find((entry) => {
    const at = Date.parse(entry.created_at);
    return entry.kind === "agent" && entry.run_id === call.run_id && at >= from && at <= to;
  });
}
