// The tool calls that a model requested in an answer, with their exact arguments.

import { For, type JSX } from "solid-js";
import type { Entry } from "../../../src/service/conversation/schema.ts";
import { indented } from "../../kit/json.ts";
import { FoldedText } from "../../kit/prompt-parts.tsx";

export function AskedCalls(props: { readonly calls: Entry["calls"] }): JSX.Element {
  return (
    <For each={props.calls}>
      {(asked) => (
        <div class="prompt-call">
          <span class="small">calls </span>
          <code class="strong">{asked.name}</code>
          <FoldedText text={indented(asked.arguments)} />
        </div>
      )}
    </For>
  );
}
