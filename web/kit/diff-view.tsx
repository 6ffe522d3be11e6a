// A unified diff of two texts, or one text by itself, with line numbers. Long unchanged stretches are folded. Invisible characters are shown
// by their code points, so that no one approves code that they could not see.

import {
  createEffect,
  createMemo,
  createSignal,
  For,
  Index,
  type JSX,
  Match,
  on,
  Show,
  Switch,
} from "solid-js";
import { type DiffRow, opened, pieces, rowsOf, type Stretch, stretchesOf } from "./diff-view-rows.ts";
import { count, plural } from "./format.ts";
import { highlightLines, type Line, type Span } from "./highlight.ts";
import "./diff-view.css";

/** Characters shown of one line; the rest on request. */
const LINE_CHARACTERS_SHOWN = 4_000;

interface DiffViewProps {
  readonly fileName: string;
  /** Undefined shows `after` by itself. */
  readonly before: string | undefined;
  readonly after: string;
  /** Shown beside the file name, such as the compared versions. */
  readonly note?: string | undefined;
  /** Highlighting language, when the file name does not tell. */
  readonly language?: string | undefined;
  /** Wraps long lines, for prose. */
  readonly wrap?: boolean | undefined;
}

export function DiffView(props: DiffViewProps): JSX.Element {
  const compared = createMemo(() => rowsOf(props.before, props.after));
  const [stretches, setStretches] = createSignal<readonly Stretch[]>([]);
  createEffect(on(compared, ({ rows }) => setStretches(stretchesOf(rows, props.before !== undefined))));
  const whole = () => props.before === undefined;
  const label = () => `Content of ${props.fileName}${props.note === undefined ? "" : `, ${props.note}`}`;
  const language = () => props.language ?? props.fileName;
  const coloursBefore = createColours(() => props.before ?? "", language);
  const coloursAfter = createColours(() => props.after, language);
  const spansOf = (row: DiffRow): Line => {
    const known =
      row.after === undefined ? coloursBefore()?.[(row.before ?? 0) - 1] : coloursAfter()?.[row.after - 1];
    // The text is what people decide on: spans that do not add up to it are dropped.
    const exact = known?.map((span) => span.text).join("") === row.text;
    return exact ? known! : [{ text: row.text, class: "" }];
  };
  return (
    <div class="diff" classList={{ wrap: props.wrap ?? false, whole: whole() }}>
      <FileLine fileName={props.fileName} note={props.note} compared={compared()} whole={whole()} />
      <Show when={compared().tooDifferent}>
        <div class="diff-remark">
          Too different to compare line by line. All old lines are followed by all new lines.
        </div>
      </Show>
      <div class="diff-body scroll" tabIndex={0} role="region" aria-label={label()}>
        <div class="diff-rows">
          <Show when={compared().rows.length === 0}>
            <div class="diff-remark">The file is empty.</div>
          </Show>
          <For each={stretches()}>
            {(stretch, index) => (
              <Switch>
                <Match when={stretch.folded}>
                  <Fold
                    lines={stretch.end - stretch.start}
                    same={compared().rows[stretch.start]?.kind === "same"}
                    onOpen={() => setStretches((before) => opened(before, index()))}
                  />
                </Match>
                <Match when={!stretch.folded}>
                  <Index each={compared().rows.slice(stretch.start, stretch.end)}>
                    {(row) => <Row row={row()} spans={spansOf(row())} whole={whole()} />}
                  </Index>
                </Match>
              </Switch>
            )}
          </For>
        </div>
      </div>
    </div>
  );
}

function FileLine(props: {
  readonly fileName: string;
  readonly note: string | undefined;
  readonly compared: ReturnType<typeof rowsOf>;
  readonly whole: boolean;
}): JSX.Element {
  return (
    <div class="diff-file">
      <b class="ellipsis" title={props.fileName} dir="auto">
        {props.fileName}
      </b>
      <Show when={props.note}>
        <span class="diff-note ellipsis" title={props.note}>
          {props.note}
        </span>
      </Show>
      <span class="diff-count num">
        <Show when={!props.whole} fallback={plural(props.compared.rows.length, "line")}>
          <Show when={props.compared.added + props.compared.removed > 0} fallback="no changes">
            <span aria-label={`${props.compared.added} added, ${props.compared.removed} removed`} role="img">
              +{count(props.compared.added)} −{count(props.compared.removed)}
            </span>
          </Show>
        </Show>
      </span>
    </div>
  );
}

function Fold(props: {
  readonly lines: number;
  readonly same: boolean;
  readonly onOpen: () => void;
}): JSX.Element {
  return (
    <button type="button" class="diff-fold" onClick={() => props.onOpen()}>
      {plural(props.lines, props.same ? "unchanged line" : "more line")}
    </button>
  );
}

const SIGNS = { same: "", added: "+", removed: "−" } as const;
const WORDS = { same: "", added: "added", removed: "removed" } as const;

function Row(props: { readonly row: DiffRow; readonly spans: Line; readonly whole: boolean }): JSX.Element {
  return (
    <div class={`diff-line ${props.row.kind}`}>
      <Show when={!props.whole}>
        <span class="diff-number">{props.row.before}</span>
      </Show>
      <span class="diff-number">{props.row.after}</span>
      <Show when={!props.whole}>
        <span class="diff-sign" aria-hidden="true">
          {SIGNS[props.row.kind]}
        </span>
        <Show when={props.row.kind !== "same"}>
          <span class="visually-hidden">{WORDS[props.row.kind]}: </span>
        </Show>
      </Show>
      <code>
        <LineText spans={props.spans} />
        <Show when={props.row.open && props.row.kind !== "same"}>
          <span class="diff-hidden" title="No newline at end of file">
            no newline
          </span>
        </Show>
      </code>
    </div>
  );
}

function LineText(props: { readonly spans: Line }): JSX.Element {
  const [all, setAll] = createSignal(false);
  const shown = () => (all() ? { spans: props.spans, left: 0 } : firstOf(props.spans));
  return (
    <>
      <For each={shown().spans}>
        {(span) => (
          <For each={pieces(span.text)}>
            {(piece) => (
              <Show
                when={piece.hidden}
                fallback={span.class === "" ? piece.text : <span class={span.class}>{piece.text}</span>}
              >
                <span class="diff-hidden" title="Invisible character">
                  {piece.text}
                </span>
              </Show>
            )}
          </For>
        )}
      </For>
      <Show when={shown().left > 0}>
        <button type="button" class="diff-more" onClick={() => setAll(true)}>
          {plural(shown().left, "more character")}
        </button>
      </Show>
    </>
  );
}

/** Returns the initially visible part of a line. */
function firstOf(spans: Line): { spans: Line; left: number } {
  let room = LINE_CHARACTERS_SHOWN;
  const shown: Span[] = [];
  let left = 0;
  for (const span of spans) {
    const text = span.text.slice(0, room);
    if (text !== "") shown.push({ ...span, text });
    left += span.text.length - text.length;
    room -= text.length;
  }
  return { spans: shown, left };
}

/** Highlighted lines once they are ready; the text itself never waits for them. */
function createColours(code: () => string, language: () => string): () => readonly Line[] | undefined {
  const [known, setKnown] = createSignal<{ code: string; lines: readonly Line[] }>();
  createEffect(() => {
    const wanted = code();
    if (wanted !== "")
      void highlightLines(wanted, language()).then((lines) => setKnown({ code: wanted, lines }));
  });
  return () => (known()?.code === code() ? known()?.lines : undefined);
}
