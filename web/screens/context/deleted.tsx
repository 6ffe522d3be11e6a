// A deleted document: its last version to read, its history, and the way back.

import { type JSX, Show } from "solid-js";
import type { ContextFile } from "../../../src/service/memory/schema.ts";
import Trash from "lucide-solid/icons/trash";
import { useActions } from "../../frame/offered-actions.ts";
import { Button } from "../../kit/button.tsx";
import { FormProblem } from "../../kit/form-actions.tsx";
import { createSubmission } from "../../kit/form.tsx";
import { Skeleton } from "../../kit/states.tsx";
import { tell } from "../../kit/toast.tsx";
import { DocumentText } from "../../parts/document/document-text.tsx";
import { Note } from "../../parts/document/notices.tsx";
import { restoreDocument, versionQuery } from "./documents.ts";
import { Head } from "./head.tsx";
import { History } from "./history.tsx";
import { Unreadable } from "./unreadable.tsx";
import type { PaneProps } from "./views.ts";

export function Deleted(props: PaneProps & { readonly file: ContextFile }): JSX.Element {
  const text = versionQuery(props.path, () => props.file.version ?? undefined);
  const restoring = createSubmission([], async () => {
    const { version } = await restoreDocument(props.path);
    tell(`Document restored at version ${version}.`);
  });
  const restore = () => void restoring.submit();
  useActions(() => [{ label: "Restore document", run: restore }]);
  /** Empty text is text. */
  const loaded = () => {
    const found = text.data();
    return found === undefined ? undefined : { text: found };
  };
  const view = () => (props.view === "edit" ? "read" : props.view);
  return (
    <>
      <Head
        {...props}
        view={view()}
        views={["read", "source", "history"]}
        action={
          <Button small kind="primary" busy={restoring.busy()} onClick={restore}>
            Restore
          </Button>
        }
      />
      <Note kind="wait">
        <Trash aria-hidden="true" />
        <span>This document is deleted. Agents do not see it, and its versions are kept.</span>
      </Note>
      <Show when={restoring.problem() !== undefined || restoring.wait() > 0}>
        <div class="document-problem">
          <FormProblem form={restoring} />
        </div>
      </Show>
      <Show when={view() !== "history"} fallback={<History path={props.path} current={null} />}>
        <Show
          when={loaded()}
          fallback={
            <Show when={text.problem()} fallback={<Skeleton label="Loading the document" />}>
              {(problem) => (
                <Unreadable path={props.path} problem={problem()} onRetry={() => void text.refresh()} />
              )}
            </Show>
          }
        >
          {(content) => (
            <div class="context-reading scroll" tabIndex={0} role="region" aria-label="Text of the document">
              <DocumentText path={props.path} text={content().text} source={view() === "source"} linked />
            </div>
          )}
        </Show>
      </Show>
    </>
  );
}
