// One document of the space: its head, and one of its views. A deleted document is read-only and can be restored.

import { createEffect, type JSX, on, onCleanup, onMount, Show } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { Skeleton } from "../../kit/states.tsx";
import { createDocument, type TextDocument } from "../../parts/document/document.ts";
import { DocumentText } from "../../parts/document/document-text.tsx";
import { Note } from "../../parts/document/notices.tsx";
import { Deleted } from "./deleted.tsx";
import { type SpaceText, spaceDocument } from "./documents.ts";
import { EditDocument } from "./edit.tsx";
import { Head } from "./head.tsx";
import { History } from "./history.tsx";
import { Unreadable } from "./unreadable.tsx";
import type { PaneProps } from "./views.ts";

export function DocumentPane(props: PaneProps): JSX.Element {
  const isDeleted = () => props.file?.state === "deleted" && !props.drafts.paths().has(props.path);
  let pane: HTMLElement | undefined;
  // The button that deleted or restored it is gone, and with it the focus.
  createEffect(
    on(isDeleted, () => queueMicrotask(() => document.activeElement === document.body && pane?.focus()), {
      defer: true,
    }),
  );
  return (
    <section class="context-pane" aria-label={props.path} tabIndex={-1} ref={(element) => (pane = element)}>
      <Show when={isDeleted() && props.file} fallback={<Live {...props} />}>
        {(file) => <Deleted {...props} file={file()} />}
      </Show>
    </section>
  );
}

function Live(props: PaneProps): JSX.Element {
  const text = createDocument(props.path, spaceDocument(props.path), props.drafts);
  onMount(() => {
    void text.read();
    props.onSaver(() => void text.save());
    onCleanup(() => props.onSaver(undefined));
  });
  // Another person or an agent wrote: the list knows first.
  createEffect(
    on(
      () => [props.file?.version, props.file?.state, props.file?.hash, text.busy()] as const,
      ([version, state, , busy]) => {
        if (busy || version === undefined) return;
        if (version !== text.saved()?.number || state === "deleted") void text.read();
      },
      { defer: true },
    ),
  );
  return (
    <Show when={text.ready()} fallback={<NotShown {...props} text={text} />}>
      <Shown {...props} text={text} />
    </Show>
  );
}

type LiveProps = PaneProps & { readonly text: TextDocument<SpaceText> };

function NotShown(props: LiveProps): JSX.Element {
  return (
    <>
      <Head
        {...props}
        text={undefined}
        views={
          props.file === undefined && props.text.problem()?.code === "not_found" ? [] : ["read", "history"]
        }
      />
      <Show
        when={props.view !== "history"}
        fallback={<History path={props.path} current={props.file?.version} />}
      >
        <Show when={props.text.problem()} fallback={<Skeleton label="Loading the document" />}>
          {(problem) => <Unreadable {...props} problem={problem()} onRetry={() => void props.text.read()} />}
        </Show>
      </Show>
    </>
  );
}

function Shown(props: LiveProps): JSX.Element {
  /** A document that was never saved has nothing to read. */
  const isNew = () => props.text.saved() === undefined;
  const view = () => (isNew() ? "edit" : props.view);
  /** Unknown until the list has the version. */
  const writer = () => (props.file?.version === props.text.saved()?.number ? props.file?.author : undefined);
  return (
    <>
      <Head
        {...props}
        view={view()}
        views={isNew() ? ["edit"] : ["read", "source", "edit", "history"]}
        text={props.text}
      />
      <Show when={view() === "read" || view() === "source"}>
        <Show when={props.text.edited()}>
          <Note kind="info">
            <span>You have unsaved changes. This is the saved version.</span>
            <Button small onClick={() => props.onView("edit")}>
              Continue editing
            </Button>
          </Note>
        </Show>
        <Show when={props.file?.state === "missing"}>
          <Note kind="wait">
            <span>
              The file was removed from the folder by hand. This is its last version; saving or restoring
              writes it again.
            </span>
          </Note>
        </Show>
        <Show when={props.text.saved()?.number === null}>
          <Note kind="info">
            <span>
              Edited by hand, outside of the service. The next save keeps that edit as a version first.
            </span>
          </Note>
        </Show>
        <div
          class="context-reading scroll"
          tabIndex={0}
          role="region"
          aria-label="Text of the document"
          ref={(element) => onMount(() => props.autofocus && element.focus())}
        >
          <DocumentText
            path={props.path}
            text={props.text.saved()?.content ?? ""}
            source={view() === "source"}
            linked
          />
        </div>
      </Show>
      <EditDocument
        text={props.text}
        shown={view() === "edit"}
        by={writer()}
        focus={props.autofocus}
        onDrop={props.onDrop}
      />
      <Show when={view() === "history"}>
        <History path={props.path} current={props.text.saved()?.number ?? props.file?.version} />
      </Show>
    </>
  );
}
