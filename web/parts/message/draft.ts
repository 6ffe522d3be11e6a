// The unsent message of one person in one workspace. It is stored in this browser until the server has it. Two tabs share it: a tab without
// typing of its own follows the other, so a message that was sent in one tab does not stay behind in the other.

import { type Accessor, createEffect, createSignal, on, onCleanup } from "solid-js";
import { keep, onKept, remember } from "../../kit/storage.ts";

const KEEP_DELAY_MS = 250;

export interface MessageDraft {
  readonly text: Accessor<string>;
  readonly setText: (text: string) => void;
}

/** The drafts on the screen. One that is no longer there may still be of a message that is being sent. */
const shown = new Map<string, (theirs: string) => void>();

const nameOf = (userId: number, workspaceId: number) => `draft.${userId}.${workspaceId}`;

/** As it is stored; empty if there is none. */
export function unsentMessage(userId: number, workspaceId: number): string {
  return remember<string>(nameOf(userId, workspaceId)) ?? "";
}

/** Lives as long as the component that creates it. */
export function createDraft(userId: number, workspaceId: number): MessageDraft {
  const name = nameOf(userId, workspaceId);
  /** The stored text, as far as this tab knows. */
  let stored = unsentMessage(userId, workspaceId);
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
  const hear = (theirs = "") => {
    const untouched = text() === stored;
    stored = theirs;
    if (untouched) setText(theirs);
  };
  onCleanup(onKept<string>(name, hear));
  shown.set(name, hear);
  window.addEventListener("pagehide", write);
  let isOver = false;
  onCleanup(() => {
    window.removeEventListener("pagehide", write);
    write();
    isOver = true;
    if (shown.get(name) === hear) shown.delete(name);
  });
  const change = (next: string) => {
    setText(next);
    // Its message was sent meanwhile, unless another draft has taken its place.
    if (!isOver || (remember<string>(name) ?? "") !== stored) return;
    write();
    shown.get(name)?.(next);
  };
  return { text, setText: change };
}
