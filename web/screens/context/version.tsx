// One version of a document: what it changed against another one, or its text, and the button that restores it.

import { createEffect, createSignal, type JSX, Match, on, Show, Switch } from "solid-js";
import type { DocumentVersion } from "../../../src/service/memory/schema.ts";
import { Button } from "../../kit/button.tsx";
import { DiffView } from "../../kit/diff-view.tsx";
import { FormProblem } from "../../kit/form-actions.tsx";
import { createSubmission, Select } from "../../kit/form.tsx";
import { CopyButton, Time } from "../../kit/pieces.tsx";
import { shortHash } from "../../kit/format.ts";
import { Skeleton } from "../../kit/states.tsx";
import { tell } from "../../kit/toast.tsx";
import { DocumentText } from "../../parts/document/document-text.tsx";
import { restoreDocument, versionQuery } from "./documents.ts";
import { nameOf } from "./folders.ts";
import { Unreadable } from "./unreadable.tsx";

interface VersionProps {
  readonly path: string;
  readonly version: DocumentVersion;
  /** The known ones, the newest first. */
  readonly versions: readonly DocumentVersion[];
  /** The live version; null: the document is deleted, or none is recorded. */
  readonly current: number | null;
  readonly onRestored: () => void;
}

/** In place of the number of a version: the one before the chosen one. */
const PREVIOUS = "previous";

export function VersionDetail(props: VersionProps): JSX.Element {
  const [view, setView] = createSignal<"changes" | "text">("changes");
  const restoring = createSubmission([], async () => {
    const { version } = props.version;
    const saved = await restoreDocument(props.path, version, props.current);
    props.onRestored();
    tell(`Version ${version} restored as version ${saved.version}.`);
  });
  createEffect(on(() => props.version.version, restoring.clear, { defer: true }));
  const isLive = () => props.version.version === props.current;
  return (
    <>
      <div class="context-version-head">
        <div class="context-version-facts">
          <h3>Version {props.version.version}</h3>
          <span class="small muted">
            by <bdi>{props.version.author}</bdi>, <Time time={props.version.created_at} />
          </span>
          <span class="row small muted">
            <span class="mono" title={`sha256 ${props.version.hash}`}>
              {shortHash(props.version.hash)}
            </span>
            <CopyButton text={props.version.hash} label={`Copy hash of version ${props.version.version}`} />
          </span>
        </div>
        <div class="row context-version-actions">
          <Button small kind="quiet" aria-pressed={view() === "changes"} onClick={() => setView("changes")}>
            Changes
          </Button>
          <Button small kind="quiet" aria-pressed={view() === "text"} onClick={() => setView("text")}>
            Text
          </Button>
          <Show when={!isLive()}>
            <Button
              small
              busy={restoring.busy()}
              disabled={!props.version.content}
              onClick={() => void restoring.submit()}
            >
              Restore version {props.version.version}
            </Button>
          </Show>
        </div>
      </div>
      <FormProblem form={restoring} />
      <Show
        when={props.version.content}
        fallback={
          <p class="muted">
            The content of this version was removed, on request or by retention. Its hash and author are kept.
          </p>
        }
      >
        <Compared {...props} view={view()} />
      </Show>
    </>
  );
}

function Compared(props: VersionProps & { readonly view: "changes" | "text" }): JSX.Element {
  const [against, setAgainst] = createSignal(PREVIOUS);
  createEffect(
    on(
      () => props.version.version,
      () => setAgainst(PREVIOUS),
      { defer: true },
    ),
  );
  const earlier = () => props.versions.find(({ version }) => version < props.version.version);
  const base = () =>
    against() === PREVIOUS ? earlier() : props.versions.find(({ version }) => String(version) === against());
  const after = versionQuery(props.path, () => props.version.version);
  const before = versionQuery(props.path, () => (base()?.content ? base()!.version : undefined));
  const texts = () => {
    const text = after.data();
    // The first version has nothing before it.
    const old = base()?.content ? before.data() : "";
    return text === undefined || old === undefined ? undefined : { before: old, after: text };
  };
  const choices = () => [
    {
      value: PREVIOUS,
      label: earlier() ? `The one before (version ${earlier()!.version})` : "Nothing before",
    },
    ...props.versions
      .filter(({ version, content }) => content && version !== props.version.version)
      .map(({ version, author }) => ({ value: String(version), label: `Version ${version}, by ${author}` })),
  ];
  return (
    <Switch fallback={<Skeleton label="Loading the version" />}>
      <Match when={after.problem() ?? before.problem()}>
        {(problem) => (
          <Unreadable
            path={props.path}
            problem={problem()}
            onRetry={() => void Promise.all([after.refresh(), before.refresh()])}
          />
        )}
      </Match>
      <Match when={props.view === "text" && texts()}>
        {(both) => <DocumentText path={props.path} text={both().after} linked />}
      </Match>
      <Match when={props.view === "changes" && texts()}>
        {(both) => (
          <>
            <Show when={props.versions.length > 1}>
              <Select label="Compare with" value={against()} choices={choices()} onChange={setAgainst} />
            </Show>
            <Show when={base() && !base()!.content}>
              <p class="small muted">The content of version {base()!.version} was removed.</p>
            </Show>
            <DiffView
              fileName={nameOf(props.path)}
              before={both().before}
              after={both().after}
              note={
                base() ? `version ${base()!.version} → version ${props.version.version}` : "first version"
              }
              language="markdown"
              wrap
            />
          </>
        )}
      </Match>
    </Switch>
  );
}
