// Finds a text in all files of the workspace. The server reads them while somebody types; an older answer never replaces a newer one. Loads when it is
// opened.

import ChevronLeft from "lucide-solid/icons/chevron-left";
import {
  createEffect,
  createSignal,
  For,
  type JSX,
  Match,
  on,
  onCleanup,
  onMount,
  Show,
  Switch,
} from "solid-js";
import type { FoundFile, FoundInFiles, FoundLine } from "../../../src/service/files/schema.ts";
import { api, take } from "../../api/client.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import { IconButton } from "../../kit/button.tsx";
import { plural } from "../../kit/format.ts";
import { MarkedText } from "../../kit/marked-text.tsx";
import { PathText } from "../../kit/path-text.tsx";
import { afterPause } from "../../kit/pause.ts";
import { SearchBox } from "../../kit/search-box.tsx";
import { ProblemNotice, Skeleton } from "../../kit/states.tsx";
import { useHere } from "../../state/here.ts";

const ASK_AFTER_MS = 250;
/** The text that stays before the first match of a line. */
const LEAD_CHARACTERS = 14;

const ENDS: Readonly<Record<NonNullable<FoundInFiles["ended_by"]>, string>> = {
  results: "More files match. Type more to narrow the search.",
  files: "Only the first 10,000 files were searched.",
  bytes: "Only the first 128 MiB were searched.",
  time: "The search stopped after 5 seconds.",
};

interface FindPaneProps {
  readonly onOpen: (path: string, line: number) => void;
  readonly onClose: () => void;
}

export function FindPane(props: FindPaneProps): JSX.Element {
  const [text, setText] = createSignal("");
  const [matchCase, setMatchCase] = createSignal(false);
  const { answer, problem, busy, ask } = createFinding(text, matchCase);
  let pane!: HTMLDivElement;
  onMount(() => pane.querySelector("input")?.focus());
  const lines = () => answer()!.results.reduce((sum, one) => sum + one.lines.length, 0);
  return (
    <div class="files-side" ref={(element) => (pane = element)}>
      <div class="files-head">
        <IconButton small label="Back to the tree" onClick={() => props.onClose()}>
          <ChevronLeft aria-hidden="true" />
        </IconButton>
        <h2 class="heading">Find in files</h2>
        <button
          type="button"
          class="btn quiet small"
          aria-label="Match case"
          title="Match case"
          aria-pressed={matchCase()}
          onClick={() => setMatchCase(!matchCase())}
        >
          Aa
        </button>
      </div>
      <div class="files-find">
        <SearchBox label="Find in files" value={text()} onInput={setText} />
      </div>
      <div class="files-found scroll" aria-busy={busy()}>
        <Switch>
          <Match when={problem()}>{(why) => <ProblemNotice problem={why()} onRetry={ask} />}</Match>
          <Match when={text() === ""}>
            <p class="files-none">Type a part of a line. Files of up to 2 MiB are searched.</p>
          </Match>
          <Match when={answer() === undefined}>
            <Skeleton label="Searching files" />
          </Match>
          <Match when={answer()}>
            {(found) => (
              <>
                <p class="files-none small" role="status">
                  {found().results.length === 0
                    ? "No results"
                    : `${plural(lines(), "line")} in ${plural(found().results.length, "file")}`}
                </p>
                <For each={found().results}>{(file) => <OneFile file={file} onOpen={props.onOpen} />}</For>
                <Show when={found().ended_by}>
                  {(limit) => <p class="files-none small muted">{ENDS[limit()]}</p>}
                </Show>
              </>
            )}
          </Match>
        </Switch>
      </div>
    </div>
  );
}

function OneFile(props: { readonly file: FoundFile; readonly onOpen: FindPaneProps["onOpen"] }): JSX.Element {
  return (
    <div role="group" aria-label={props.file.path}>
      <h3 class="files-found-path small">
        <PathText path={props.file.path} />
      </h3>
      <ul>
        <For each={props.file.lines}>
          {(line) => (
            <li>
              <button
                type="button"
                class="files-found-line small"
                onClick={() => props.onOpen(props.file.path, line.line)}
              >
                <span class="muted num">
                  <span class="visually-hidden">Line </span>
                  {line.line}
                </span>
                <span class="mono ellipsis" dir="auto">
                  <MarkedText {...inSight(line)} />
                </span>
              </button>
            </li>
          )}
        </For>
      </ul>
      <Show when={props.file.more_lines}>
        <p class="files-none small muted">More lines match.</p>
      </Show>
    </div>
  );
}

/** The pane is narrow: what is far before the first match is left out. */
function inSight({ text, ranges }: FoundLine): Pick<FoundLine, "text" | "ranges"> {
  const first = ranges[0]?.start ?? 0;
  const indent = text.length - text.trimStart().length;
  const cut = first > LEAD_CHARACTERS ? first - LEAD_CHARACTERS : Math.min(indent, first);
  const before = cut > indent ? "…" : "";
  const shift = before.length - cut;
  return {
    text: before + text.slice(cut).toWellFormed(),
    ranges: ranges.map(({ start, end }) => ({ start: start + shift, end: end + shift })),
  };
}

function createFinding(text: () => string, matchCase: () => boolean) {
  const here = useHere();
  const [answer, setAnswer] = createSignal<FoundInFiles>();
  const [problem, setProblem] = createSignal<Problem>();
  const [busy, setBusy] = createSignal(false);
  const [again, setAgain] = createSignal(0);
  createEffect(
    on([text, matchCase, again], ([q, exact]) => {
      if (q === "") {
        setAnswer(undefined);
        setProblem(undefined);
        setBusy(false);
        return;
      }
      const stop = new AbortController();
      const read = async () => {
        const query = { q, ...(exact && { case: "1" as const }) };
        const found = api.workspaces({ id: here.id }).files.find;
        try {
          const next = await take(found.get({ query, fetch: { signal: stop.signal } }));
          if (stop.signal.aborted) return;
          setAnswer(next);
          setProblem(undefined);
        } catch (error) {
          if (!stop.signal.aborted) setProblem(asProblem(error));
        }
        if (!stop.signal.aborted) setBusy(false);
      };
      setBusy(true);
      afterPause(ASK_AFTER_MS, () => void read());
      onCleanup(() => stop.abort());
    }),
  );
  return { answer, problem, busy, ask: () => setAgain((before) => before + 1) };
}
