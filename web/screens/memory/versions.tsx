// The versions of a document, newest first, each with its author and turn, and what the chosen one changed.

import { createMemo, For, type JSX, Match, Show, Switch } from "solid-js";
import type { MemoryHistory } from "../../../src/service/memory/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { DiffView } from "../../kit/diff-view.tsx";
import { bytes } from "../../kit/format.ts";
import { createPages } from "../../kit/paged-list.ts";
import { Time } from "../../kit/pieces.tsx";
import { ProblemNotice, Skeleton } from "../../kit/states.tsx";
import { useHere } from "../../state/here.ts";
import { TurnLink } from "./turn-link.tsx";

type Version = MemoryHistory["versions"][number];

export function Versions(props: {
  readonly path: string;
  readonly name: string;
  readonly history: MemoryHistory;
  readonly chosen: number | undefined;
  readonly onChoose: (version: number) => void;
}): JSX.Element {
  const here = useHere();
  const pages = createPages<Version>({
    of: () => props.path,
    newest: () => toPage(props.history),
    read: async (before) => {
      const query = { path: props.path, before };
      return toPage(await take(api.workspaces({ id: here.id }).memory.history.get({ query })));
    },
    numberOf: ({ version }) => version,
  });
  const versions = pages.all;
  const chosen = createMemo(
    () => versions().find(({ version }) => version === props.chosen) ?? versions()[0],
  );
  return (
    <Show when={versions().length > 0} fallback={<p class="muted">No version is recorded yet.</p>}>
      <div class="memory-history">
        <ol class="memory-versions" aria-label="Versions">
          <For each={versions()}>
            {(one) => (
              <VersionRow
                version={one}
                current={one.version === props.history.current}
                chosen={one.version === chosen()?.version}
                onChoose={() => props.onChoose(one.version)}
              />
            )}
          </For>
          <Show when={pages.more()}>
            <li>
              <Button small busy={pages.busy()} onClick={() => void pages.readEarlier()}>
                Load earlier versions
              </Button>
            </li>
          </Show>
        </ol>
        <Show when={chosen()} keyed>
          {(version) => (
            <Change
              path={props.path}
              name={props.name}
              version={version}
              before={versions().find((one) => one.version < version.version)}
            />
          )}
        </Show>
      </div>
    </Show>
  );
}

function toPage({ versions, more }: MemoryHistory) {
  return { items: versions, isLast: !more };
}

function VersionRow(props: {
  readonly version: Version;
  readonly current: boolean;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}): JSX.Element {
  return (
    <li class="memory-version" classList={{ chosen: props.chosen }}>
      <button
        type="button"
        class="memory-choose"
        aria-pressed={props.chosen}
        onClick={() => props.onChoose()}
      >
        <span class="visually-hidden">Show changes of </span>
        <span class="tag">v{props.version.version}</span>
        <bdi class="ellipsis" title={props.version.author}>
          {props.version.author}
        </bdi>
        <Show when={props.current}>
          <span class="tag ok">current</span>
        </Show>
        <Show when={!props.version.content}>
          <span class="tag">content gone</span>
        </Show>
      </button>
      <span class="memory-about small muted">
        <TurnLink turnId={props.version.turn_id} />
        <Show when={props.version.turn_id === null && props.version.message}>
          {(message) => (
            <bdi class="ellipsis" title={message()}>
              {message()}
            </bdi>
          )}
        </Show>
        <span>{bytes(props.version.size)}</span>
        <Time time={props.version.created_at} relative />
      </span>
    </li>
  );
}

/** The difference from the previous version. */
function Change(props: {
  readonly path: string;
  readonly name: string;
  readonly version: Version;
  readonly before: Version | undefined;
}): JSX.Element {
  const here = useHere();
  const textOf = (asked: () => Version | undefined) =>
    createQuery(() => {
      const one = asked();
      return one?.content
        ? {
            key: ["memory-version", here.id, props.path, one.version],
            read: () =>
              take(
                api
                  .workspaces({ id: here.id })
                  .memory.file.get({ query: { path: props.path, version: one.version } }),
              ),
          }
        : undefined;
    });
  const after = textOf(() => props.version);
  const before = textOf(() => props.before);
  const hasBefore = () => props.before?.content === true;
  const ready = () => after.data() !== undefined && (!hasBefore() || before.data() !== undefined);
  const note = () =>
    hasBefore()
      ? `version ${props.before!.version} → version ${props.version.version}`
      : props.before
        ? `version ${props.version.version}; the previous version's content was removed`
        : `version ${props.version.version}, the first`;
  return (
    <section class="memory-change-shown" aria-label={`What version ${props.version.version} changed`}>
      <Switch fallback={<Skeleton label="Loading the change" />}>
        <Match when={!props.version.content}>
          <p class="muted">The content of this version was removed. Only its record is left.</p>
        </Match>
        <Match when={after.problem() ?? before.problem()}>
          {(problem) => (
            <ProblemNotice
              problem={problem()}
              onRetry={() => {
                void after.refresh();
                void before.refresh();
              }}
            />
          )}
        </Match>
        <Match when={ready()}>
          <DiffView
            fileName={props.name}
            before={hasBefore() ? before.data()!.text : props.before ? undefined : ""}
            after={after.data()!.text}
            note={note()}
            language="markdown"
            wrap
          />
        </Match>
      </Switch>
    </section>
  );
}
