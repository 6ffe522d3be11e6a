// In place of the message box of an archived workspace: the message that the person had not sent. It stays stored for when the workspace is unarchived.

import { type JSX, Show } from "solid-js";
import { unsentMessage } from "../../parts/message/draft.ts";
import { UnsavedText } from "../../parts/message/unsaved-text.tsx";
import { useHere } from "../../state/here.ts";
import { me } from "../../state/session.ts";

export function Unsent(): JSX.Element {
  const message = unsentMessage(me()?.id ?? 0, useHere().id);
  return (
    <Show when={message.trim() !== ""}>
      <div class="chat-composer stack">
        <UnsavedText name="Your unsent message" text={message} />
        <p class="small muted">It returns to the message box when the workspace is unarchived.</p>
      </div>
    </Show>
  );
}
