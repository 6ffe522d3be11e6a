// The head of a document: its path, its state and actions, the tabs of its views, and who wrote the version when.

import Ellipsis from "lucide-solid/icons/ellipsis";
import Copy from "lucide-solid/icons/copy";
import Trash from "lucide-solid/icons/trash";
import { For, type JSX, Show } from "solid-js";
import type { ContextFile } from "../../../src/service/memory/schema.ts";
import { useActions } from "../../frame/offered-actions.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { type Action, Menu } from "../../kit/menu.tsx";
import { copyText, Time } from "../../kit/pieces.tsx";
import { attempt, tell } from "../../kit/toast.tsx";
import { DocumentPath } from "../../parts/document/document-path.tsx";
import type { TextDocument } from "../../parts/document/document.ts";
import { removeDocument, type SpaceText } from "./documents.ts";
import { type DocumentView, VIEW_NAMES } from "./views.ts";

interface HeadProps {
  readonly path: string;
  readonly file: ContextFile | undefined;
  readonly view: DocumentView;
  readonly views: readonly DocumentView[];
  readonly onView: (view: DocumentView) => void;
  readonly before: JSX.Element;
  /** Undefined for a document that cannot be edited. */
  readonly text?: TextDocument<SpaceText> | undefined;
  /** Of a document that cannot be edited. */
  readonly action?: JSX.Element;
}

export function Head(props: HeadProps): JSX.Element {
  const actions = () => actionsOf(props);
  useActions(() => [
    ...props.views
      .filter((view) => view !== props.view)
      .map((view) => ({ label: PALETTE_NAMES[view], run: () => props.onView(view) })),
    ...actions(),
  ]);
  return (
    <header class="context-bar">
      <div class="context-title">
        {props.before}
        <DocumentPath path={props.path} />
        <span class="document-state" role="status">
          {stateOf(props)}
        </span>
        {props.action}
        <Show when={props.text?.edited() || (props.text && props.view === "edit")}>
          <Button
            small
            kind="primary"
            title="Ctrl S"
            busy={props.text!.busy()}
            disabled={!props.text!.edited()}
            onClick={() => void props.text!.save()}
          >
            Save
          </Button>
        </Show>
        <Menu label="More about this document" class="btn quiet icon small" actions={actions()}>
          <Ellipsis aria-hidden="true" />
        </Menu>
      </div>
      <Tabs {...props} />
    </header>
  );
}

const PALETTE_NAMES: Readonly<Record<DocumentView, string>> = {
  read: "Read document",
  source: "Show source of document",
  edit: "Edit document",
  history: "Show history of document",
};

function Tabs(props: HeadProps): JSX.Element {
  return (
    <Show when={props.views.length > 0}>
      <nav class="views context-views" aria-label="Views of the document">
        <For each={props.views}>
          {(view) => (
            <a
              href={addressOf(props.path, view)}
              aria-current={props.view === view ? "page" : undefined}
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
                event.preventDefault();
                props.onView(view);
              }}
            >
              {VIEW_NAMES[view]}
              <Show when={view === "edit" && props.text?.edited()}>
                <span class="dot wait context-unsaved" />
                <span class="visually-hidden">, unsaved</span>
              </Show>
            </a>
          )}
        </For>
        <Show when={props.file}>{(file) => <Facts file={file()} />}</Show>
      </nav>
    </Show>
  );
}

function Facts(props: { readonly file: ContextFile }): JSX.Element {
  return (
    <div class="end context-facts">
      <Show when={props.file.version !== null} fallback={<span class="tag wait">edited by hand</span>}>
        <span class="tag">v{props.file.version}</span>
      </Show>
      <span class="ellipsis">
        by <bdi title={props.file.author}>{props.file.author}</bdi>
      </span>
      <Time time={props.file.updated_at} relative />
    </div>
  );
}

function addressOf(path: string, view: DocumentView): string {
  const rest = view === "read" ? "" : `&view=${view}`;
  return `/context?path=${encodeURIComponent(path)}${rest}`;
}

function stateOf({ text, file, view }: HeadProps): string {
  if (!text) return file?.state === "deleted" ? "Deleted" : "";
  if (text.busy()) return "Saving";
  if (text.saved() === undefined) return "New, not saved yet";
  if (text.edited()) return "Not saved";
  return view === "edit" ? "Saved" : "";
}

function actionsOf(props: HeadProps): readonly Action[] {
  const copy = {
    label: "Copy path",
    icon: <Copy aria-hidden="true" />,
    run: () => void copyText(props.path).then(() => tell("Path copied.")),
  };
  const { file } = props;
  if (!file || file.state === "deleted") return [copy];
  return [
    copy,
    {
      label: "Delete document",
      icon: <Trash aria-hidden="true" />,
      danger: true,
      apart: true,
      run: () => void remove(file),
    },
  ];
}

async function remove({ path, version }: ContextFile): Promise<void> {
  const sure = await confirm({
    title: "Delete this document?",
    text: (
      <div class="stack">
        <p>
          <bdi class="mono">{path}</bdi>
        </p>
        <p>
          Agents lose it from the next turn on; prompts that it is bound to say that it is missing. Its
          versions are kept, and you can restore it here.
        </p>
      </div>
    ),
    action: "Delete document",
  });
  if (sure && (await attempt(() => removeDocument(path, version)))) tell("Document deleted.");
}
