// Shown when someone else saved a version meanwhile. Nothing is lost either way, since all versions are kept.

import { createMemo, type JSX } from "solid-js";
import type { GearDetail } from "../../../src/service/gears/schema.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { ContentDiff } from "../../parts/gear/content-diff.tsx";
import type { ProgramDraft } from "./program-draft.ts";

/** `back`: continue editing. */
export type StaleChoice = "mine" | "theirs" | "back";

export function StaleSave(props: {
  readonly gear: GearDetail;
  readonly draft: ProgramDraft;
  readonly onChoose: (choice: StaleChoice) => void;
}): JSX.Element {
  const mine = createMemo(() => ({
    description: props.draft.description,
    runtime: props.draft.runtime,
    entrypoint: props.draft.entrypoint,
    args_schema: props.draft.argsSchema,
    files: props.draft.files,
  }));
  return (
    <Dialog open wide title="Someone else saved this gear" onClose={() => props.onChoose("back")}>
      <p>
        Version {props.gear.version} was saved while you were editing. The diff shows what saving yours would
        change.
      </p>
      <div class="gear-stale">
        <ContentDiff before={props.gear} after={mine()} note={`version ${props.gear.version} → yours`} />
      </div>
      <div class="actions">
        <Button onClick={() => props.onChoose("back")}>Keep editing</Button>
        <Button kind="danger" onClick={() => props.onChoose("theirs")}>
          Discard mine
        </Button>
        <Button kind="primary" onClick={() => props.onChoose("mine")}>
          Save as version {props.gear.version + 1}
        </Button>
      </div>
    </Dialog>
  );
}
