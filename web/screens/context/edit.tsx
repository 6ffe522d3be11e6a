// Edits a document. A version by someone else never overwrites an edit: both texts are shown before anything is saved over it.

import { createEffect, createSignal, type JSX, Show } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { Editor } from "../../kit/editor/editor.tsx";
import { MergeView } from "../../kit/editor/merge-view.tsx";
import { bytes } from "../../kit/format.ts";
import type { TextDocument } from "../../parts/document/document.ts";
import { EditNotices } from "../../parts/document/notices.tsx";
import { StaleDialog } from "../../parts/document/stale-dialog.tsx";
import type { SpaceText } from "./documents.ts";

interface EditProps {
  readonly text: TextDocument<SpaceText>;
  /** Otherwise the editor keeps cursor and undo history behind another view. */
  readonly shown: boolean;
  /** The author of the version in the list. */
  readonly by: string | undefined;
  readonly focus: boolean;
  /** Drops a document that was never saved. */
  readonly onDrop: () => void;
}

export function EditDocument(props: EditProps): JSX.Element {
  const { text } = props;
  const [opened, setOpened] = createSignal(false);
  createEffect(() => props.shown && setOpened(true));
  const [comparing, setComparing] = createSignal(false);
  // Nothing is left to compare.
  createEffect(() => !text.edited() && setComparing(false));
  const changes = () => comparing() && !text.comparing();
  return (
    <Show when={opened()}>
      <div class="context-edit" classList={{ behind: !props.shown }} inert={props.shown ? undefined : true}>
        <EditNotices document={text} noun="document" by={props.by} />
        <div class="context-editors">
          <div class="context-editor" classList={{ behind: changes() }} inert={changes() ? true : undefined}>
            <Editor
              value={text.text()}
              fileName={text.path}
              label={text.path}
              autofocus={props.focus}
              onChange={text.type}
              onSave={() => void text.save()}
            />
          </div>
          <Show when={changes()}>
            <div class="context-editor">
              <MergeView
                before={text.saved()?.content ?? ""}
                beforeLabel={text.saved() ? "Saved" : "Not saved yet"}
                value={text.text()}
                label="Your version, not saved"
                fileName={text.path}
                takeLabel="Use saved text"
                onChange={text.type}
                onSave={() => void text.save()}
              />
            </div>
          </Show>
        </div>
        <div class="context-foot">
          <Show when={text.saved()}>{(saved) => <span class="num">{bytes(saved().size)}</span>}</Show>
          <span class="context-keys">
            Ctrl F to find, Ctrl S to save. Press Escape, then Tab, to leave the editor
          </span>
          <span class="end row">
            <Button
              small
              kind="quiet"
              aria-pressed={changes()}
              disabled={!text.edited()}
              onClick={() => setComparing(!comparing())}
            >
              Changes
            </Button>
            <Button small kind="quiet" disabled={!text.edited()} onClick={() => void discard(props)}>
              Discard
            </Button>
          </span>
        </div>
      </div>
      <Show when={text.comparing()}>
        <StaleDialog document={text} noun="document" by={props.by} />
      </Show>
    </Show>
  );
}

async function discard({ text, onDrop }: EditProps): Promise<void> {
  const sure = await confirm({
    title: "Discard your changes?",
    text: (
      <>
        Your unsaved changes to <bdi class="mono">{text.path}</bdi> will be lost.
      </>
    ),
    action: "Discard changes",
  });
  if (!sure) return;
  if (text.saved()) text.takeSaved();
  else onDrop();
}
