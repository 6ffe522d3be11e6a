// The differences between two prompts, part by part: added, removed, and changed with a word diff. Unchanged parts are one line.

import { createMemo, createSignal, For, Index, type JSX, Match, Show, Switch } from "solid-js";
import type { CallDiff } from "../../src/service/turns/schema.ts";
import { count, plural } from "./format.ts";
import { FoldedText, PartHead, type SourceOf } from "./prompt-parts.tsx";
import { type DiffPiece, middle, wordsChanged } from "./prompt-part.ts";
import "./prompt.css";

type Change = CallDiff["changes"][number];
/** A number counts consecutive unchanged parts. */
type Line = Change | number;

const WORDS: Readonly<Record<Change["change"], string>> = {
  added: "added",
  removed: "removed",
  changed: "changed",
  same: "unchanged",
};

export function PromptChanges(props: {
  readonly diff: CallDiff;
  readonly sourceOf: SourceOf;
  readonly label: string;
}): JSX.Element {
  const lines = createMemo(() => linesOf(props.diff));
  const nothing = () => lines().every((line) => typeof line === "number");
  return (
    <>
      <Show when={nothing()}>
        <p class="muted small">The two prompts are identical.</p>
      </Show>
      <ol class="prompt-parts" aria-label={props.label}>
        <Index each={lines()}>
          {(line) => (
            <Show
              when={typeof line() !== "number"}
              fallback={<li class="prompt-same">{plural(line() as number, "unchanged part")}</li>}
            >
              <ChangedPart change={line() as Change} sourceOf={props.sourceOf} />
            </Show>
          )}
        </Index>
      </ol>
    </>
  );
}

function linesOf({ same, changes }: CallDiff): readonly Line[] {
  const lines: Line[] = same > 0 ? [same] : [];
  for (const change of changes) {
    const last = lines.at(-1);
    if (change.change !== "same") lines.push(change);
    else if (typeof last === "number") lines[lines.length - 1] = last + 1;
    else lines.push(1);
  }
  return lines;
}

function ChangedPart(props: { readonly change: Change; readonly sourceOf: SourceOf }): JSX.Element {
  const pieces = createMemo(() =>
    props.change.change === "changed"
      ? wordsChanged(props.change.before ?? "", props.change.after ?? "")
      : [],
  );
  return (
    <li class={`prompt-part ${props.change.kind}`}>
      <PartHead kind={props.change.kind} source={props.change.source} sourceOf={props.sourceOf}>
        {WORDS[props.change.change]}
      </PartHead>
      <Switch>
        <Match when={props.change.change === "added"}>
          <ins class="prompt-whole">
            <FoldedText text={props.change.after ?? ""} />
          </ins>
        </Match>
        <Match when={props.change.change === "removed"}>
          <del class="prompt-whole">
            <FoldedText text={props.change.before ?? ""} />
          </del>
        </Match>
        <Match when={props.change.change === "changed"}>
          <pre class="prompt-text" dir="auto">
            <For each={pieces()}>
              {(piece, index) => (
                <Piece piece={piece} first={index() === 0} last={index() === pieces().length - 1} />
              )}
            </For>
          </pre>
        </Match>
      </Switch>
    </li>
  );
}

function Piece(props: {
  readonly piece: DiffPiece;
  readonly first: boolean;
  readonly last: boolean;
}): JSX.Element {
  const [all, setAll] = createSignal(false);
  const folded = createMemo(() =>
    all() || props.piece.kind !== "same" ? undefined : middle(props.piece.text, props.first, props.last),
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
