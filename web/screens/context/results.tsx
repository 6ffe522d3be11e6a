// Search results: documents with the words in their names, then those with the words in their text. Each says which words matched, shows the lines,
// and how old it is.

import { createEffect, createMemo, createSignal, For, type JSX, on, Show } from "solid-js";
import type { ContextFile, ContextHit, ContextSearch } from "../../../src/service/memory/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { plural } from "../../kit/format.ts";
import { MarkedText } from "../../kit/marked-text.tsx";
import { afterPause } from "../../kit/pause.ts";
import { Time } from "../../kit/pieces.tsx";
import { ProblemNotice, Skeleton } from "../../kit/states.tsx";
import type { OpenedBy } from "../../parts/tree/tree.tsx";
import { documentAddress } from "./documents.ts";
import { foundByName } from "./folders.ts";

const NAMES_MAX = 8;
/** The server's limit. */
const QUERY_CHARACTERS_MAX = 300;
/** Waits while a person types. */
const ASK_AFTER_MS = 200;

interface ResultsProps {
  readonly query: string;
  readonly files: readonly ContextFile[];
  readonly chosen: string | undefined;
  readonly onOpen: (path: string, by: OpenedBy) => void;
  /** Up from the first result. */
  readonly onBack: () => void;
}

export function Results(props: ResultsProps): JSX.Element {
  const asked = createDelayed(() => props.query);
  /** The server asks for a word. */
  const words = () => (/[\p{L}\p{N}_]/u.test(asked()) ? asked().slice(0, QUERY_CHARACTERS_MAX) : undefined);
  const inText = createQuery<ContextSearch>(() => {
    const q = words();
    return q === undefined
      ? undefined
      : { key: ["context", "search", q], read: () => take(api.context.search.get({ query: { q } })) };
  });
  const byName = createMemo(() => foundByName(props.files, props.query, NAMES_MAX));
  const hits = () => (words() === undefined ? [] : inText.data()?.results);
  const total = () => byName().length + (hits()?.length ?? 0);
  return (
    <div
      class="context-results scroll"
      role="region"
      aria-label="Search results"
      onKeyDown={(event) => walk(event, props.onBack)}
    >
      <p class="visually-hidden" role="status">
        {hits() === undefined ? "" : plural(total(), "result")}
      </p>
      <Show when={byName().length > 0}>
        <h3 class="heading">Names</h3>
        <ul>
          <For each={byName()}>{(file) => <NameResult {...props} file={file} />}</For>
        </ul>
      </Show>
      <Show when={inText.problem()}>
        {(problem) => <ProblemNotice problem={problem()} onRetry={() => void inText.refresh()} />}
      </Show>
      <Show when={hits()} fallback={<Show when={!inText.problem()}>{<Skeleton label="Searching" />}</Show>}>
        {(found) => (
          <>
            <Show when={found().length > 0}>
              <h3 class="heading">In the text</h3>
              <ul>
                <For each={found()}>{(hit) => <TextResult {...props} hit={hit} />}</For>
              </ul>
            </Show>
            <Show when={inText.data()?.more && words() !== undefined}>
              <p class="small muted">More documents match. Add words to narrow the search.</p>
            </Show>
            <Show when={total() === 0}>
              <p class="muted">No document has these words in its name or text.</p>
            </Show>
          </>
        )}
      </Show>
    </div>
  );
}

function NameResult(props: ResultsProps & { readonly file: ContextFile }): JSX.Element {
  return (
    <li class="context-result">
      <ResultLink {...props} path={props.file.path} />
      <span class="small muted">
        changed <Time time={props.file.updated_at} relative />
      </span>
    </li>
  );
}

function TextResult(props: ResultsProps & { readonly hit: ContextHit }): JSX.Element {
  return (
    <li class="context-result">
      <ResultLink {...props} path={props.hit.path} />
      <span class="small muted">
        matches <bdi>{props.hit.words.join(", ")}</bdi>; changed <Time time={props.hit.updated_at} relative />{" "}
        by <bdi>{props.hit.author}</bdi>
      </span>
      <For each={props.hit.lines}>
        {(line) => (
          <p class="context-line small">
            <span class="faint num">{line.line}</span>
            <span dir="auto">
              <MarkedText text={line.text} ranges={line.ranges} />
            </span>
          </p>
        )}
      </For>
    </li>
  );
}

function ResultLink(props: ResultsProps & { readonly path: string }): JSX.Element {
  return (
    <a
      href={documentAddress(props.path)}
      aria-current={props.path === props.chosen ? "page" : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        // A key on a link clicks without a pointer.
        props.onOpen(props.path, event.detail === 0 ? "key" : "pointer");
      }}
    >
      <bdi>{props.path}</bdi>
    </a>
  );
}

/** Up and down move between results; up from the first one leaves them. */
function walk(event: KeyboardEvent & { currentTarget: HTMLElement }, leave: () => void): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>(".context-result > a")];
  const at = links.findIndex((link) => link === document.activeElement);
  if (at < 0) return;
  event.preventDefault();
  const next = event.key === "ArrowDown" ? at + 1 : at - 1;
  if (next < 0) leave();
  else links[Math.min(next, links.length - 1)]?.focus();
}

function createDelayed(value: () => string): () => string {
  const [delayed, setDelayed] = createSignal(value());
  createEffect(on(value, (now) => afterPause(ASK_AFTER_MS, () => setDelayed(now)), { defer: true }));
  return delayed;
}
