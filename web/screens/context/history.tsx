// The versions of a document, the newest first, and beside them what the chosen one changed, or its text. Any version that has its content can be
// restored as a new one; no version is ever replaced.

import History_ from "lucide-solid/icons/rotate-ccw-clock";
import { createEffect, createMemo, createSignal, For, type JSX, on, Show } from "solid-js";
import type { DocumentHistory, DocumentVersion } from "../../../src/service/memory/schema.ts";
import { createQuery } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { mayTakeFocus } from "../../kit/focus.ts";
import { bytes } from "../../kit/format.ts";
import { createPages } from "../../kit/paged-list.ts";
import { Time } from "../../kit/pieces.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { readHistory } from "./documents.ts";
import { VersionDetail } from "./version.tsx";

interface HistoryProps {
  readonly path: string;
  /** The live version; null: deleted; undefined: unknown, or none yet. Another one reads the history again. */
  readonly current: number | null | undefined;
}

export function History(props: HistoryProps): JSX.Element {
  const query = createQuery(() => ({
    key: ["context", "history", props.path],
    read: () => readHistory(props.path),
  }));
  createEffect(
    on(
      () => props.current,
      () => void query.refresh(),
      { defer: true },
    ),
  );
  return (
    <Loaded query={query} what="history">
      {(newest) => (
        <Show
          when={newest().versions.length > 0}
          fallback={
            <Empty title="No versions yet" icon={<History_ aria-hidden="true" />}>
              This document was put into the folder by hand. The next save keeps that text as its first
              version.
            </Empty>
          }
        >
          <Versions path={props.path} newest={newest()} />
        </Show>
      )}
    </Loaded>
  );
}

function Versions(props: { readonly path: string; readonly newest: DocumentHistory }): JSX.Element {
  const pages = createPages<DocumentVersion>({
    of: () => props.path,
    newest: () => toPage(props.newest),
    read: async (before) => toPage(await readHistory(props.path, before)),
    numberOf: ({ version }) => version,
  });
  let detail: HTMLElement | undefined;
  /** Undefined: the newest. */
  const [wanted, setWanted] = createSignal<number>();
  const chosen = createMemo(() => pages.all().find(({ version }) => version === wanted()) ?? pages.all()[0]);
  return (
    <div class="context-history">
      <div class="context-versions scroll">
        <h3 class="visually-hidden">Versions</h3>
        <ol onKeyDown={walk}>
          <For each={pages.all()}>
            {(one) => (
              <VersionRow
                version={one}
                live={one.version === props.newest.current}
                chosen={one.version === chosen()?.version}
                onChoose={() => setWanted(one.version)}
              />
            )}
          </For>
        </ol>
        <Show when={pages.more()}>
          <div class="context-more">
            <Button small busy={pages.busy()} onClick={() => void pages.readEarlier()}>
              Load earlier versions
            </Button>
          </div>
        </Show>
      </div>
      <div
        class="context-version scroll"
        tabIndex={0}
        role="region"
        aria-label="Version"
        ref={(element) => (detail = element)}
      >
        <Show when={chosen()}>
          {(version) => (
            <VersionDetail
              path={props.path}
              version={version()}
              versions={pages.all()}
              current={props.newest.current}
              onRestored={() => {
                setWanted(undefined);
                // The button is gone, and with it the focus.
                if (mayTakeFocus(detail)) detail?.focus();
              }}
            />
          )}
        </Show>
      </div>
    </div>
  );
}

function toPage({ versions, more }: DocumentHistory) {
  return { items: versions, isLast: !more };
}

function VersionRow(props: {
  readonly version: DocumentVersion;
  readonly live: boolean;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}): JSX.Element {
  return (
    <li>
      <button
        type="button"
        class="context-row"
        aria-current={props.chosen ? "true" : undefined}
        onClick={() => props.onChoose()}
      >
        <span class="row">
          <span class="tag">v{props.version.version}</span>
          <bdi class="ellipsis strong" title={props.version.author}>
            {props.version.author}
          </bdi>
          <Show when={props.live}>
            <span class="tag ok">live</span>
          </Show>
          <span class="end small muted">
            <Time time={props.version.created_at} relative />
          </span>
        </span>
        <Show when={props.version.message}>
          <span class="small context-message" dir="auto">
            {props.version.message}
          </span>
        </Show>
        <span class="small muted">
          {props.version.content ? bytes(props.version.size) : "content removed"}
        </span>
      </button>
    </li>
  );
}

/** Up and down move between versions. */
function walk(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(".context-row")];
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = rows[event.key === "ArrowDown" ? at + 1 : at - 1];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
}
