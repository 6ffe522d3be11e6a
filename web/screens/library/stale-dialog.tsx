// Shown when someone else saved the instruction first: both texts, and the choice between them. Closing it returns to the draft.

import { type JSX, Show } from "solid-js";
import type { Instruction } from "../../../src/service/library/schema.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Time } from "../../kit/pieces.tsx";
import type { Wording } from "./wording-fields.tsx";

export function StaleDialog(props: {
  readonly mine: Wording;
  readonly current: Instruction;
  readonly onBack: () => void;
  readonly onMine: () => void;
  readonly onTheirs: () => void;
}): JSX.Element {
  return (
    <Dialog open wide onClose={() => props.onBack()} title="Changed by someone else">
      <p class="muted">
        Version {props.current.version} was saved <Time time={props.current.updated_at} relative />. Choose
        which text to keep; your draft is safe until then.
      </p>
      <div class="library-both">
        <Side
          title={`Saved version ${props.current.version}`}
          name={props.current.name}
          text={props.current.text}
        />
        <Side title="Your version" name={props.mine.name} text={props.mine.text} />
      </div>
      <div class="actions">
        <Button onClick={() => props.onBack()}>Keep editing</Button>
        <Button onClick={() => props.onTheirs()}>Discard mine</Button>
        <Button kind="primary" onClick={() => props.onMine()}>
          Save mine as version {props.current.version + 1}
        </Button>
      </div>
    </Dialog>
  );
}

function Side(props: { readonly title: string; readonly name: string; readonly text: string }): JSX.Element {
  return (
    <section aria-label={props.title}>
      <h3 class="heading">{props.title}</h3>
      <p class="strong ellipsis" dir="auto">
        {props.name}
      </p>
      <Show when={props.text !== ""} fallback={<p class="muted">Empty</p>}>
        <pre class="block library-text" dir="auto" tabIndex={0}>
          {props.text}
        </pre>
      </Show>
    </section>
  );
}
