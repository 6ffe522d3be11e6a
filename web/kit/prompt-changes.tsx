// The differences between two prompts: a summary, then the changed parts, the conversation first and the tools last, by name.

import { createMemo, createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import type { CallDiff } from "../../src/service/turns/schema.ts";
import { count, plural } from "./format.ts";
import { FoldedText, PartHead, type SourceOf } from "./prompt-parts.tsx";
import { type DiffPiece, middle, wordsChanged } from "./prompt-part.ts";
import {
  inReadingOrder,
  type PromptChange,
  summaryOf,
  type ToolChange,
  toolChanges,
} from "./prompt-summary.ts";
import "./prompt.css";

const WORDS: Readonly<Record<PromptChange["change"], string>> = {
  added: "added",
  removed: "removed",
  changed: "changed",
  same: "unchanged",
};

export function PromptChanges(props: { readonly diff: CallDiff; readonly sourceOf: SourceOf }): JSX.Element {
  const parts = createMemo(() => inReadingOrder(props.diff));
  const summary = createMemo(() => summaryOf(props.diff));
  return (
    <>
      <p class="prompt-summary">
        {summary().length === 0 ? "The two prompts are identical." : summary().join(", ")}
      </p>
      <ol class="prompt-parts" aria-label="Differences from the previous call">
        <For each={parts().changed}>
          {(change) => <ChangedPart change={change} sourceOf={props.sourceOf} />}
        </For>
        <Show when={parts().unchanged > 0}>
          <li class="prompt-same">{plural(parts().unchanged, "unchanged part")}</li>
        </Show>
      </ol>
    </>
  );
}

function ChangedPart(props: { readonly change: PromptChange; readonly sourceOf: SourceOf }): JSX.Element {
  const tools = createMemo(() => (props.change.kind === "tools" ? toolChanges(props.change) : undefined));
  return (
    <li class={`prompt-part ${props.change.kind}`}>
      <PartHead kind={props.change.kind} source={props.change.source} sourceOf={props.sourceOf}>
        {WORDS[props.change.change]}
      </PartHead>
      <Show when={tools()} fallback={<ChangedText {...textsOf(props.change)} change={props.change.change} />}>
        {(list) => <ChangedTools tools={list()} />}
      </Show>
    </li>
  );
}

const textsOf = ({ before, after }: PromptChange) => ({ before: before ?? "", after: after ?? "" });

function ChangedTools(props: { readonly tools: readonly ToolChange[] }): JSX.Element {
  const changed = () => props.tools.filter(({ change }) => change !== "same");
  const same = () => props.tools.length - changed().length;
  return (
    <ul class="prompt-tools">
      <For each={changed()}>
        {(tool) => (
          <li>
            <div class="row small">
              <code class="strong">{tool.name}</code>
              <span class="muted">{WORDS[tool.change]}</span>
            </div>
            <ChangedText {...tool} />
          </li>
        )}
      </For>
      <Show when={same() > 0}>
        <li class="prompt-same">{plural(same(), "unchanged tool")}</li>
      </Show>
    </ul>
  );
}

interface Texts {
  readonly change: PromptChange["change"];
  readonly before: string;
  readonly after: string;
}

function ChangedText(props: Texts): JSX.Element {
  const pieces = createMemo(() =>
    props.change === "changed" ? wordsChanged(props.before, props.after) : [],
  );
  return (
    <Switch>
      <Match when={props.change === "added"}>
        <ins class="prompt-whole">
          <FoldedText text={props.after} />
        </ins>
      </Match>
      <Match when={props.change === "removed"}>
        <del class="prompt-whole">
          <FoldedText text={props.before} />
        </del>
      </Match>
      <Match when={props.change === "changed"}>
        <pre class="prompt-text" dir="auto">
          <For each={pieces()}>
            {(piece, index) => (
              <Piece piece={piece} first={index() === 0} last={index() === pieces().length - 1} />
            )}
          </For>
        </pre>
      </Match>
    </Switch>
  );
}

function Piece(props: {
  readonly piece: DiffPiece;
  readonly first: boolean;
  readonly last: boolean;
}): JSX.Element {
  const [all, setAll] = createSignal(false);
  const folded = createMemo(() =>
    all() || props.piece.kind !== "same" ? undefined : middle(props.piece.text, props),
  );
  return (
    <Switch fallback={props.piece.text}>
      <Match when={props.piece.kind === "added"}>
        <ins>{props.piece.text}</ins>
      </Match>
      <Match when={props.piece.kind === "removed"}>
        <del>{props.piece.text}</del>
      </Match>
      <Match when={folded()}>
        {(short) => (
          <>
            {short().head}
            <button type="button" class="prompt-more inline" onClick={() => setAll(true)}>
              {count(short().between)} unchanged characters
            </button>
            {short().tail}
          </>
        )}
      </Match>
    </Switch>
  );
}
