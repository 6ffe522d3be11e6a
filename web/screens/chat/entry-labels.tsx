// Labels above an answer: how it ended, whether it contains untrusted text, whether it is still sent to the model.

import { type JSX, Show } from "solid-js";
import type { Entry } from "../../../src/service/conversation/schema.ts";
import { TAINT_LABEL, TRUNCATION_LABELS } from "../../state/taint.ts";

export function EntryLabels(props: { readonly entry: Entry }): JSX.Element {
  const some = () => {
    const { partial, truncated, dropped_calls: dropped, tainted, forgotten } = props.entry;
    return partial || truncated !== null || dropped.length > 0 || tainted || forgotten;
  };
  return (
    <Show when={some()}>
      <div class="chat-labels">
        <Show when={props.entry.partial}>
          <span class="tag wait">interrupted</span>
        </Show>
        <Show when={props.entry.truncated}>
          {(why) => <span class="tag wait">{TRUNCATION_LABELS[why()]}</span>}
        </Show>
        <Show when={props.entry.dropped_calls.length > 0}>
          <span class="tag wait">not called: {props.entry.dropped_calls.join(", ")}</span>
        </Show>
        <Show when={props.entry.tainted}>
          <span class="tag wait">{TAINT_LABEL}</span>
        </Show>
        <Show when={props.entry.forgotten}>
          <span class="tag">not sent to the model</span>
        </Show>
      </div>
    </Show>
  );
}
