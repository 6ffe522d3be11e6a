// A document of the space to read: rendered, or exactly as it is stored. Rendered text loads and runs nothing, as in the chat.

import {
  createEffect,
  createMemo,
  createSignal,
  type JSX,
  Match,
  on,
  onCleanup,
  Show,
  Switch,
  untrack,
} from "solid-js";
import Info from "lucide-solid/icons/info";
import { DiffView } from "../../kit/diff-view.tsx";
import { pieces } from "../../kit/diff-view-rows.ts";
import { Markdown } from "../../kit/markdown.tsx";
import { CodeBlock } from "../../kit/markdown-code.tsx";
import { nextEnd, readingOf } from "./reading.ts";
import "./document.css";

const CHARACTERS_PER_FRAME = 10_000;

/** `source`: with line numbers, and invisible characters by their code points. */
export function DocumentText(props: {
  readonly path: string;
  readonly text: string;
  readonly source?: boolean;
  /** Whether `?path=` of this screen opens the documents that it links to. */
  readonly linked?: boolean;
}): JSX.Element {
  return (
    <Show when={!props.source} fallback={<Source path={props.path} text={props.text} />}>
      <Rendered path={props.path} text={props.text} linked={props.linked ?? false} />
    </Show>
  );
}

function Rendered(props: {
  readonly path: string;
  readonly text: string;
  readonly linked: boolean;
}): JSX.Element {
  const reading = createMemo(() => readingOf(props.path, props.text));
  const body = createGrowing(() => reading().body);
  const hidesSomething = createMemo(() => pieces(visible(props.text)).some(({ hidden }) => hidden));
  return (
    <div class="document-text">
      <Show when={hidesSomething()}>
        <p class="document-remark small muted">
          <Info size={14} aria-hidden="true" />
          This document has invisible characters. Source shows them.
        </p>
      </Show>
      <Switch>
        <Match when={props.text.trim() === ""}>
          <p class="muted">This document is empty.</p>
        </Match>
        <Match when={reading().language !== undefined}>
          <CodeBlock code={props.text} language={reading().language!} />
        </Match>
        <Match when={reading().language === undefined}>
          <Show when={reading().head !== ""}>
            <CodeBlock code={reading().head} language="yaml" />
          </Show>
          <Markdown text={body()} from={props.linked ? props.path : undefined} />
        </Match>
      </Switch>
    </div>
  );
}

/** Grows frame by frame to the whole text: to render a long document at once would freeze the page. */
function createGrowing(text: () => string): () => string {
  const startOf = (whole: string) => nextEnd(whole, 0, CHARACTERS_PER_FRAME);
  // From the beginning, because an effect of the part that renders it misses a change before its first run.
  const [shown, setShown] = createSignal(untrack(() => text().slice(0, startOf(text()))));
  createEffect(
    on(text, (whole) => {
      let end = startOf(whole);
      let frame = 0;
      const grow = () => {
        setShown(whole.slice(0, end));
        if (end === whole.length) return;
        end = nextEnd(whole, end, CHARACTERS_PER_FRAME);
        frame = requestAnimationFrame(grow);
      };
      grow();
      onCleanup(() => cancelAnimationFrame(frame));
    }),
  );
  return shown;
}

function Source(props: { readonly path: string; readonly text: string }): JSX.Element {
  const name = () => props.path.slice(props.path.lastIndexOf("/") + 1);
  return (
    <DiffView
      fileName={name()}
      before={undefined}
      after={props.text}
      language={languageOf(props.path)}
      wrap
    />
  );
}

/** Line endings, and the mark at the start that some editors write, hide nothing. */
function visible(text: string): string {
  return text
    .replaceAll("\r\n", "")
    .replaceAll("\n", "")
    .replace(/^\ufeff/, "");
}

function languageOf(path: string): string {
  return readingOf(path, "").language ?? "markdown";
}
