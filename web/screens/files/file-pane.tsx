// One open file: a bar with its state and actions, notices, and the editor or the diff from the saved version.

import FileQuestion from "lucide-solid/icons/file-question-mark";
import FileX from "lucide-solid/icons/file-x";
import Info from "lucide-solid/icons/info";
import {
  createEffect,
  createMemo,
  createSignal,
  type JSX,
  Match,
  on,
  onCleanup,
  onMount,
  Show,
  Switch,
} from "solid-js";
import { Button } from "../../kit/button.tsx";
import { Editor } from "../../kit/editor/editor.tsx";
import { MergeView } from "../../kit/editor/merge-view.tsx";
import { later } from "../../kit/later.tsx";
import { bytes } from "../../kit/format.ts";
import { Empty, ProblemNotice, Skeleton } from "../../kit/states.tsx";
import { useHere } from "../../state/here.ts";
import { createDocument } from "../../parts/document/document.ts";
import { DocumentPath } from "../../parts/document/document-path.tsx";
import type { Drafts } from "../../parts/document/drafts.ts";
import { EditNotices, Note } from "../../parts/document/notices.tsx";
import { StaleDialog } from "../../parts/document/stale-dialog.tsx";
import { type FileDocument, workspaceFile } from "./workspace-file.ts";

/** A line to scroll to; each is another object. */
export interface LineOfFile {
  readonly path: string;
  readonly line: number;
}

const DocumentText = later(async () => (await import("../../parts/document/document-text.tsx")).DocumentText);
const MARKDOWN = /\.(?:md|markdown|mdx)$/i;

type View = "edit" | "changes" | "preview";

export function FilePane(props: {
  readonly path: string;
  readonly drafts: Drafts;
  /** Whether this is the visible pane; the others keep cursor, undo history and scroll position behind it. */
  readonly front: boolean;
  /** Set when the file was opened by keyboard or has just been created. */
  readonly autofocus: boolean;
  readonly goTo: LineOfFile | undefined;
  /** Registers the save action, which is called from anywhere on the screen; undefined on unmount. */
  readonly onSaver: (save: (() => void) | undefined) => void;
  readonly onCreate: () => void;
}): JSX.Element {
  const here = useHere();
  const file = createDocument(props.path, workspaceFile(here.id, props.path), props.drafts);
  const elsewhere = createMemo(() => here.state().savedFiles.get(props.path));
  const saver = () => elsewhere()?.by;
  onMount(() => {
    void file.read();
    props.onSaver(() => void file.save());
    onCleanup(() => props.onSaver(undefined));
  });
  createEffect(
    on(
      () => [elsewhere()?.version, file.busy()] as const,
      ([version, busy]) => {
        if (version !== undefined && !busy && version !== file.saved()?.version) void file.read();
      },
      { defer: true },
    ),
  );
  return (
    <section
      class="files-pane"
      classList={{ behind: !props.front }}
      inert={props.front ? undefined : true}
      aria-label={props.path}
    >
      <Show when={file.ready()} fallback={<NotShown file={file} onCreate={props.onCreate} />}>
        <Content
          file={file}
          saver={saver()}
          front={props.front}
          autofocus={props.autofocus}
          goTo={props.goTo}
        />
      </Show>
    </section>
  );
}

function NotShown(props: { readonly file: FileDocument; readonly onCreate: () => void }): JSX.Element {
  return (
    <Switch fallback={<Skeleton label="Loading the file" />}>
      <Match when={props.file.problem()?.code === "not_found"}>
        <Empty
          title="File not found"
          icon={<FileQuestion aria-hidden="true" />}
          actions={<Button onClick={props.onCreate}>Create file</Button>}
        >
          <bdi class="mono wrap">{props.file.path}</bdi>
        </Empty>
      </Match>
      <Match when={props.file.problem()?.code === "not_text"}>
        <Empty title="Not a text file" icon={<FileX aria-hidden="true" />}>
          <bdi class="mono wrap">{props.file.path}</bdi>
          <p>Only UTF-8 text can be shown and edited here. Gears can read this file.</p>
        </Empty>
      </Match>
      <Match when={props.file.problem()}>
        {(problem) => (
          <div class="section">
            <ProblemNotice problem={problem()} onRetry={() => void props.file.read()} />
          </div>
        )}
      </Match>
    </Switch>
  );
}

interface ContentProps {
  readonly file: FileDocument;
  readonly saver: string | undefined;
  readonly front: boolean;
  readonly autofocus: boolean;
  readonly goTo: LineOfFile | undefined;
}

function Content(props: ContentProps): JSX.Element {
  const { file } = props;
  const [view, setView] = createSignal<View>("edit");
  const [cursor, setCursor] = createSignal<readonly [line: number, column: number]>([1, 1]);
  // Nothing is left to compare.
  createEffect(() => !file.edited() && view() === "changes" && setView("edit"));
  createEffect(
    on(
      () => props.goTo,
      (line) => line && setView("edit"),
    ),
  );
  const changes = () => view() === "changes" && !file.comparing();
  const preview = () => view() === "preview" && !file.comparing();
  const isBehind = () => changes() || preview();
  return (
    <div class="files-content">
      <Bar {...props} view={view()} onView={setView} />
      <Notices {...props} />
      <div class="files-editor">
        <div
          class="files-editor-one"
          classList={{ behind: isBehind() }}
          inert={isBehind() ? true : undefined}
        >
          <Editor
            value={file.text()}
            fileName={file.path}
            label={file.path}
            readOnly={file.readOnly()}
            autofocus={props.autofocus}
            goToLine={props.goTo}
            onChange={file.type}
            onSave={() => void file.save()}
            onCursor={(line, column) => setCursor([line, column])}
          />
        </div>
        <Show when={preview()}>
          <Preview file={file} />
        </Show>
        <Show when={changes()}>
          <div class="files-editor-one">
            <MergeView
              before={file.saved()?.content ?? ""}
              beforeLabel={file.saved() ? "Saved" : "Not saved yet"}
              value={file.text()}
              label="Your version, not saved"
              fileName={file.path}
              takeLabel="Use saved text"
              onChange={file.type}
              onSave={() => void file.save()}
            />
          </div>
        </Show>
      </div>
      <Foot file={file} cursor={isBehind() ? undefined : cursor()} />
      <Show when={file.comparing() && props.front}>
        <StaleDialog document={file} noun="file" by={props.saver} />
      </Show>
    </div>
  );
}

function Preview(props: { readonly file: FileDocument }): JSX.Element {
  const { file } = props;
  return (
    <div
      class="files-editor-one files-preview scroll"
      tabIndex={0}
      role="region"
      aria-label={`Preview of ${file.path}`}
    >
      <DocumentText
        path={file.path}
        text={file.text()}
        linked
        fallback={<Skeleton label="Loading the preview" />}
      />
    </div>
  );
}

function Foot(props: {
  readonly file: FileDocument;
  /** Absent while the editor is behind another view. */
  readonly cursor: readonly [line: number, column: number] | undefined;
}): JSX.Element {
  const { file } = props;
  return (
    <div class="files-foot">
      <Show when={props.cursor}>
        {(cursor) => (
          <span class="num">
            Line {cursor()[0]}, column {cursor()[1]}
          </span>
        )}
      </Show>
      <Show when={file.saved()}>{(saved) => <span class="num">{bytes(saved().size)}</span>}</Show>
      <Show when={file.text().includes("\r\n")}>
        <span title="Windows line endings, kept on save">CRLF</span>
      </Show>
      <span class="files-keys">
        <Show when={props.cursor}>
          <Show when={!file.readOnly()} fallback="Ctrl F to find">
            Ctrl F to find, Ctrl S to save. Tab indents; press Escape, then Tab, to leave the editor
          </Show>
        </Show>
      </span>
    </div>
  );
}

function Bar(
  props: ContentProps & {
    readonly view: View;
    readonly onView: (view: View) => void;
  },
): JSX.Element {
  const { file } = props;
  return (
    <div class="document-bar">
      <DocumentPath path={file.path} />
      <span class="document-state" role="status">
        {stateOf(file)}
      </span>
      <Show when={MARKDOWN.test(file.path)}>
        <Button
          small
          kind="quiet"
          aria-pressed={props.view === "preview"}
          onClick={() => props.onView(props.view === "preview" ? "edit" : "preview")}
        >
          Preview
        </Button>
      </Show>
      <Show when={!file.readOnly()}>
        <Button
          small
          kind="quiet"
          aria-pressed={props.view === "changes"}
          disabled={!file.edited()}
          onClick={() => props.onView(props.view === "changes" ? "edit" : "changes")}
        >
          Changes
        </Button>
        <Button
          small
          kind="primary"
          busy={file.busy()}
          disabled={!file.edited()}
          title="Ctrl S"
          onClick={() => void file.save()}
        >
          Save
        </Button>
      </Show>
    </div>
  );
}

function stateOf(file: FileDocument): string {
  if (file.readOnly()) return "Read-only";
  if (file.busy()) return "Saving";
  if (file.saved() === undefined) return "New, not saved yet";
  return file.edited() ? "Not saved" : "Saved";
}

function Notices(props: ContentProps): JSX.Element {
  const { file } = props;
  return (
    <>
      <EditNotices document={file} noun="file" by={props.saver} />
      <Show when={file.readOnly()}>
        <Note kind="info" role="note">
          <Info aria-hidden="true" />
          <span>
            This file has {bytes(file.saved()!.size)}, and only files up to 2 MiB can be edited. The first 2
            MiB are shown, read-only.
          </span>
        </Note>
      </Show>
    </>
  );
}
