// A prompt in its parts, exactly as sent: kind, source, speaker, tokens, text. Long texts are folded, never cut.

import ChevronRight from "lucide-solid/icons/chevron-right";
import { A } from "@solidjs/router";
import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { PromptPart } from "../../src/service/conversation/schema.ts";
import { bytes, count, plural, tokens } from "./format.ts";
import { indented } from "./json.ts";
import { beginning, formText, PART_NAMES, type PartKind, SPEAKERS, toolsIn } from "./prompt-part.ts";
import "./prompt.css";

/** The name of a part's source, and its link. */
export type SourceOf = (source: string) => { readonly text: string; readonly href: string | undefined };

export function PromptParts(props: {
  readonly parts: readonly PromptPart[];
  readonly sourceOf: SourceOf;
  /** Sources that are new since the previous call. */
  readonly fresh?: ReadonlySet<string> | undefined;
}): JSX.Element {
  return (
    <ol class="prompt-parts" aria-label="Parts of the prompt">
      <For each={props.parts}>
        {(part) => (
          <li class={`prompt-part ${part.kind}`}>
            <PartHead
              kind={part.kind}
              source={part.source}
              sourceOf={props.sourceOf}
              speaker={part.kind === "entry" ? SPEAKERS[part.role] : undefined}
            >
              <span class="num">
                {part.tokens_estimated ? "≈ " : ""}
                {tokens(part.tokens)}
              </span>
              <Show when={part.tainted}>
                <span> · untrusted text</span>
              </Show>
              <Show when={props.fresh?.has(part.source)}>
                <span> · new</span>
              </Show>
            </PartHead>
            <PartBody part={part} />
          </li>
        )}
      </For>
    </ol>
  );
}

export function PartHead(props: {
  readonly kind: PartKind;
  readonly source: string;
  readonly sourceOf: SourceOf;
  readonly speaker?: string | undefined;
  readonly children: JSX.Element;
}): JSX.Element {
  const source = createMemo(() => props.sourceOf(props.source));
  return (
    <div class="prompt-head">
      <h3>{PART_NAMES[props.kind]}</h3>
      <Show
        when={source().href}
        fallback={
          <span class="ellipsis" dir="auto" title={source().text}>
            {source().text}
          </span>
        }
      >
        {(href) => (
          <A href={href()} class="ellipsis" dir="auto" title={source().text} noScroll>
            {source().text}
          </A>
        )}
      </Show>
      <Show when={props.speaker}>
        <span class="prompt-speaker">{props.speaker}</span>
      </Show>
      <span class="prompt-figures">{props.children}</span>
    </div>
  );
}

function PartBody(props: { readonly part: PromptPart }): JSX.Element {
  const tools = createMemo(() => (props.part.kind === "tools" ? toolsIn(props.part.text) : undefined));
  return (
    <Show when={tools()} fallback={<SaidBody part={props.part} />}>
      {(list) => (
        <ul class="prompt-tools" aria-label={plural(list().length, "tool")}>
          <For each={list()}>
            {(tool) => (
              <li>
                <details>
                  <summary>
                    <ChevronRight size={12} aria-hidden="true" />
                    <code>{tool.name}</code>
                    <span class="ellipsis muted" dir="auto">
                      {tool.description}
                    </span>
                  </summary>
                  <p class="small wrap" dir="auto">
                    {tool.description}
                  </p>
                  <pre class="prompt-text scroll" tabIndex={0} aria-label={`Arguments of ${tool.name}`}>
                    {tool.schema}
                  </pre>
                </details>
              </li>
            )}
          </For>
        </ul>
      )}
    </Show>
  );
}

function SaidBody(props: { readonly part: PromptPart }): JSX.Element {
  const empty = () =>
    props.part.text.trim() === "" && props.part.calls.length === 0 && props.part.attachments.length === 0;
  return (
    <>
      <Show when={props.part.attachments.length > 0}>
        <ul class="prompt-attached" aria-label={plural(props.part.attachments.length, "attachment")}>
          <For each={props.part.attachments}>
            {(one) => (
              <li>
                <span class="strong" dir="auto">
                  {one.name}
                </span>
                <span class="muted">
                  {one.media_type} · {bytes(one.bytes)} · {formText(one)}
                </span>
                <code class="prompt-hash">sha256:{one.hash}</code>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={props.part.text !== ""}>
        <FoldedText text={props.part.text} />
      </Show>
      <For each={props.part.calls}>
        {(call) => (
          <div class="prompt-call">
            <span aria-hidden="true">→ </span>
            <code class="strong">{call.name}</code>
            <FoldedText text={indented(call.arguments)} />
          </div>
        )}
      </For>
      <Show when={empty()}>
        <p class="small muted">Empty, so it is not sent.</p>
      </Show>
    </>
  );
}

/** Exactly this text, folded after its start. */
export function FoldedText(props: { readonly text: string }): JSX.Element {
  const [all, setAll] = createSignal(false);
  const start = createMemo(() => beginning(props.text));
  return (
    <>
      <pre class="prompt-text" dir="auto">
        {all() ? props.text : (start() ?? props.text)}
      </pre>
      <Show when={start() !== undefined}>
        <button
          type="button"
          class="prompt-more"
          aria-expanded={all()}
          onClick={() => setAll((shown) => !shown)}
        >
          {all() ? "Show less" : `Show all ${count(props.text.length)} characters`}
        </button>
      </Show>
    </>
  );
}
