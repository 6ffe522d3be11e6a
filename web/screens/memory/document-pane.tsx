// One document of the memory: its text, who wrote it in which turn, and its versions.

import X from "lucide-solid/icons/x";
import { createEffect, createMemo, createSignal, type JSX, Match, on, Show, Switch } from "solid-js";
import type { ContextFile, MemoryHistory } from "../../../src/service/memory/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { CopyButton, Time } from "../../kit/pieces.tsx";
import { Loaded } from "../../kit/states.tsx";
import { DocumentPath } from "../../parts/document/document-path.tsx";
import { DocumentText } from "../../parts/document/document-text.tsx";
import { useHere } from "../../state/here.ts";
import { TurnLink } from "./turn-link.tsx";
import { Versions } from "./versions.tsx";

type View = "text" | "source" | "versions";
type Version = MemoryHistory["versions"][number];

const VIEWS: readonly (readonly [View, string])[] = [
  ["text", "Text"],
  ["source", "Source"],
  ["versions", "Versions"],
];

interface DocumentProps {
  /** In the space. */
  readonly path: string;
  /** In the branch. */
  readonly name: string;
  /** Undefined: it does not exist any more, or not yet. */
  readonly file: ContextFile | undefined;
  /** The version to compare; undefined shows the document as it is. */
  readonly version: number | undefined;
  readonly onVersion: (version: number | undefined) => void;
  readonly onClose: () => void;
  readonly before: JSX.Element;
}

/** Reads the text and the versions again when a version is written. A pane has one path, so that the former text may stay meanwhile. */
function createDocument(props: Pick<DocumentProps, "path" | "file">) {
  const here = useHere();
  const { memory } = api.workspaces({ id: here.id });
  const document = createQuery(
    () => ({
      key: ["memory-document", here.id, props.path, props.file?.version ?? 0, props.file?.hash ?? ""],
      read: () => take(memory.file.get({ query: { path: props.path } })),
    }),
    { keep: true },
  );
  const history = createQuery(
    () => ({
      key: ["memory-history", here.id, props.path, props.file?.version ?? 0],
      read: () => take(memory.history.get({ query: { path: props.path } })),
    }),
    { keep: true },
  );
  return { document, history };
}

export function DocumentPane(props: DocumentProps): JSX.Element {
  const { document, history } = createDocument(props);
  const [view, setView] = createSignal<View>(props.version === undefined ? "text" : "versions");
  createEffect(
    on(
      () => props.version,
      (at) => at !== undefined && setView("versions"),
      { defer: true },
    ),
  );
  const live = createMemo(() =>
    history.data()?.versions.find(({ version }) => version === history.data()?.current),
  );
  const turnTo = (next: View) => {
    setView(next);
    if (next !== "versions" && props.version !== undefined) props.onVersion(undefined);
  };
  return (
    <article class="memory-document" aria-label={props.name}>
      <Bar
        path={props.path}
        name={props.name}
        view={view()}
        onView={turnTo}
        onClose={props.onClose}
        before={props.before}
      />
      <Show when={live()}>{(version) => <Written version={version()} file={props.file} />}</Show>
      <div class="memory-content" classList={{ wide: view() !== "text" }}>
        <Switch>
          <Match when={view() === "versions"}>
            <Loaded query={history} what="document">
              {(found) => (
                <Versions
                  path={props.path}
                  name={props.name}
                  history={found()}
                  chosen={props.version}
                  onChoose={props.onVersion}
                />
              )}
            </Loaded>
          </Match>
          <Match when={view() !== "versions"}>
            <Loaded query={document} what="document">
              {(found) => <DocumentText path={props.name} text={found().text} source={view() === "source"} />}
            </Loaded>
          </Match>
        </Switch>
      </div>
    </article>
  );
}

function Bar(props: {
  readonly path: string;
  readonly name: string;
  readonly view: View;
  readonly onView: (view: View) => void;
  readonly onClose: () => void;
  readonly before: JSX.Element;
}): JSX.Element {
  return (
    <header class="document-bar">
      {props.before}
      <DocumentPath path={props.path} name={props.name} />
      <CopyButton text={props.path} label="Copy path in the space" />
      <div class="memory-views" role="group" aria-label="Show">
        {VIEWS.map(([one, title]) => (
          <Button small kind="quiet" aria-pressed={props.view === one} onClick={() => props.onView(one)}>
            {title}
          </Button>
        ))}
      </div>
      <IconButton small label={`Close ${props.name}`} onClick={props.onClose}>
        <X aria-hidden="true" />
      </IconButton>
    </header>
  );
}

/** The author of the live version, its time, and its turn. */
function Written(props: { readonly version: Version; readonly file: ContextFile | undefined }): JSX.Element {
  return (
    <p class="memory-written small muted">
      <span class="tag">v{props.version.version}</span>
      <span>
        by <bdi>{props.version.author}</bdi>
        <TurnLink turnId={props.version.turn_id} before=" in " />,{" "}
        <Time time={props.version.created_at} relative />
      </span>
      <Show when={props.file?.state === "modified"}>
        <span class="tag wait">edited by hand since</span>
      </Show>
    </p>
  );
}
