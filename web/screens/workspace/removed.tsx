// In place of a workspace that its reader no longer sees, because it was deleted or is no longer shared with them: offers the texts that they
// had not sent or saved.

import { For, type JSX, Show } from "solid-js";
import type { TypedText } from "../../kit/leaving.ts";
import { NotFound } from "../../kit/states.tsx";
import { draftsOf } from "../../parts/document/drafts.ts";
import { unsentMessage } from "../../parts/message/draft.ts";
import { UnsavedText } from "../../parts/message/unsaved-text.tsx";
import { me } from "../../state/session.ts";

export function Removed(props: {
  readonly id: number;
  /** In forms of the workspace. */
  readonly typed: readonly TypedText[];
  readonly onLeave: () => void;
}): JSX.Element {
  const userId = me()?.id ?? 0;
  const message = unsentMessage(userId, props.id);
  const drafts = draftsOf(userId, props.id);
  const texts = [
    ...(message.trim() === "" ? [] : [{ name: "Message to the orchestrator", text: message }]),
    ...props.typed,
    ...[...drafts.paths()].map((path) => ({ name: path, text: drafts.get(path)!.text })),
  ];
  return (
    <div class="workspace-removed">
      <NotFound what="workspace" alone out={{ name: "All workspaces", go: () => props.onLeave() }} />
      <Show when={texts.length > 0}>
        <section class="section" aria-labelledby="workspace-unsaved">
          <h2 id="workspace-unsaved" class="heading">
            Your unsaved text
          </h2>
          <p class="small muted">It was not sent or saved here. Copy it to keep it.</p>
          <For each={texts}>{({ name, text }) => <UnsavedText name={name} text={text} />}</For>
        </section>
      </Show>
    </div>
  );
}
