// Shown when someone else saved the text during an edit: both texts, and the choices. The own text can be edited in place, to merge. Closing
// the dialog loses nothing.

import { type JSX, Show } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { MergeView } from "../../kit/editor/merge-view.tsx";
import { ProblemNotice } from "../../kit/states.tsx";
import type { TextDocument } from "./document.ts";
import "./document.css";

export function StaleDialog(props: {
  readonly document: TextDocument;
  readonly noun: "file" | "document";
  /** The author of the other version, if known. */
  readonly by: string | undefined;
}): JSX.Element {
  const { document: file } = props;
  const before = file.text();
  const merged = () => file.text() !== before;
  const who = () => props.by ?? "Someone else";
  return (
    <Dialog open wide onClose={() => file.compare(false)} title={`Someone else changed this ${props.noun}`}>
      <p>
        <bdi class="mono wrap">{file.path}</bdi>:{" "}
        <Show
          when={file.saved()}
          fallback={`This ${props.noun} was deleted. Saving recreates it with your text.`}
        >
          {who()} saved another version while you were editing. Merge pieces of it into yours, and edit yours
          here.
        </Show>
      </p>
      <div class="document-both">
        <MergeView
          before={file.saved()?.content ?? ""}
          beforeLabel={file.saved() ? `Saved by ${who()}` : "Deleted"}
          value={file.text()}
          label="Your version"
          fileName={file.path}
          takeLabel="Use theirs"
          onChange={file.type}
        />
      </div>
      <Show when={file.problem()}>{(problem) => <ProblemNotice problem={problem()} />}</Show>
      <div class="actions">
        <Button onClick={() => file.compare(false)}>Keep editing</Button>
        <Button onClick={file.takeSaved} disabled={file.saved() === undefined || file.busy()}>
          Discard mine
        </Button>
        <Button
          kind={merged() ? "primary" : "danger-primary"}
          busy={file.busy()}
          onClick={() => void file.overwrite()}
        >
          {merged() ? "Save merged text" : "Overwrite theirs"}
        </Button>
      </div>
    </Dialog>
  );
}
