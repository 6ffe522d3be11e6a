// The unsent message of one person in one workspace. It is stored in this browser until the server has it. Two tabs share it: a tab without
// typing of its own follows the other, so a message that was sent in one tab does not stay behind in the other.

import { type Accessor, createEffect, createSignal, on, onCleanup } from "solid-js";
import { keep, onKept, remember } from "../../kit/storage.ts";

const KEEP_DELAY_MS = 250;

export interface MessageDraft {
  readonly text: Accessor<string>;
  readonly setText: (text: string) => void;
}

/** Lives as long as the component that creates it. */
export function createDraft(userId: number, workspaceId: number): MessageDraft {
  const name = `draft.${userId}.${workspaceId}`;
  /** The stored text, as far as this tab knows. */
  let stored = remember<string>(name) ?? "";
  const [text, setText] = createSignal(stored);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = () => {
    clearTimeout(timer);
    // Without typing of its own, this tab must not overwrite the draft of another.
    if (text() === stored) return;
    if (keep(name, text() === "" ? undefined : text())) stored = text();
  };
  createEffect(
    on(
      text,
      () => {
        clearTimeout(timer);
        timer = setTimeout(write, KEEP_DELAY_MS);
      },
      { defer: true },
    ),
  );
  onCleanup(
    onKept<string>(name, (theirs = "") => {
      const untouched = text() === stored;
      stored = theirs;
      if (untouched) setText(theirs);
    }),
  );
  window.addEventListener("pagehide", write);
  onCleanup(() => {
    window.removeEventListener("pagehide", write);
    write();
  });
  return { text, setText };
}
