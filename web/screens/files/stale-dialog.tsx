// Somebody else saved the file while it was edited here: both texts, and the ways on. Mine can be edited right there, so that a merge is made
// where it is seen. Closing it loses nothing.

import { type JSX, Show } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { MergeView } from "../../kit/editor/merge-view.tsx";
import { ProblemNotice } from "../../kit/states.tsx";
import type { FileDocument } from "./document.ts";

export function StaleDialog(props: {
  readonly file: FileDocument;
  /** Who saved the other version, if it is known. */
  readonly by: string | undefined;
}): JSX.Element {
  const { file } = props;
  const before = file.text();
  const merged = () => file.text() !== before;
  const who = () => props.by ?? "Somebody else";
  return (
    <Dialog open wide onClose={() => file.compare(false)} title="Changed by somebody else meanwhile">
      <p>
        <bdi class="mono wrap">{file.path}</bdi>:{" "}
        <Show
          when={file.saved()}
          fallback="the file is not there any more. Saving makes it anew, with your text."
        >
          {who()} saved another version after you began to edit. You can take pieces of it over into yours,
          and edit yours here.
        </Show>
      </p>
      <div class="files-both">
        <MergeView
          before={file.saved()?.content ?? ""}
          beforeLabel={file.saved() ? `Saved by ${who()}` : "Not there any more"}
          value={file.text()}
          label="Yours"
          fileName={file.path}
          takeLabel="Take theirs here"
          onChange={file.type}
        />
      </div>
      <Show when={file.problem()}>{(problem) => <ProblemNotice problem={problem()} />}</Show>
      <div class="actions">
        <Button onClick={() => file.compare(false)}>Go on editing</Button>
        <Button onClick={file.takeSaved} disabled={file.saved() === undefined || file.busy()}>
          Take theirs, drop mine
        </Button>
        <Button
          kind={merged() ? "primary" : "danger-primary"}
          busy={file.busy()}
          onClick={() => void file.overwrite()}
        >
          {merged() ? "Save the merged text" : "Save mine over theirs"}
        </Button>
      </div>
    </Dialog>
  );
}
