// The unsent message of one person in one workspace. It is stored in this browser until the server has it. Two tabs share it: a tab without
// typing of its own follows the other, so a message that was sent in one tab does not stay behind in the other.

import { type Accessor, createEffect, createSignal, on, onCleanup } from "solid-js";
import { keep, onKept, remember } from "../../kit/storage.ts";

const KEEP_DELAY_MS = 250;

export interface MessageDraft {
  readonly text: Accessor<string>;
  readonly setText: (text: string) => void;
  /** Shows an earlier message, to be written again; the typed text is set aside meanwhile. */
  readonly revise: (message: string) => void;
  /** Whether the earlier message was changed. */
  readonly isRevised: () => boolean;
  /** The text that was set aside returns. Changes nothing without an earlier message. */
  readonly endRevision: () => void;
  /** Clears the message, unless it was changed since; the text that was set aside returns. */
  readonly sent: (message: string) => void;
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
  const write = (now = text()) => {
    clearTimeout(timer);
    // Without typing of its own, this tab must not overwrite the draft of another.
    if (now === stored) return;
    if (keep(name, now === "" ? undefined : now)) stored = now;
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
  const revision = createRevision(text);
  const leave = () => write(revision.leave());
  window.addEventListener("pagehide", leave);
  let isOver = false;
  onCleanup(() => {
    window.removeEventListener("pagehide", leave);
    const left = revision.leave();
    setText(left);
    write(left);
    isOver = true;
    if (shown.get(name) === hear) shown.delete(name);
  });
  const change = (next: string) => {
    setText(next);
    // Its message was sent meanwhile, unless another draft has taken its place.
    if (!isOver || unsentMessage(userId, workspaceId) !== stored) return;
    write(next);
    shown.get(name)?.(next);
  };
  return {
    text,
    setText: change,
    revise: (message) => change(revision.begin(message)),
    isRevised: revision.isEdited,
    endRevision: () => change(revision.end() ?? text()),
    sent: (message) => {
      const rest = revision.afterSending(message);
      if (rest !== undefined) change(rest);
    },
  };
}

/** Sets the typed text aside while an earlier message is written again. Its functions return the text to show. */
function createRevision(text: Accessor<string>) {
  let current: { readonly message: string; readonly aside: string } | undefined;
  /** Of a message box that is no longer there, whose message may still be on its way. */
  let left: { readonly joined: string; readonly message: string; readonly aside: string } | undefined;
  const end = () => {
    const aside = current?.aside;
    current = undefined;
    return aside;
  };
  return {
    begin(message: string) {
      current = { message, aside: current?.aside ?? text() };
      return message;
    },
    isEdited: () => current !== undefined && text() !== current.message && text().trim() !== "",
    end,
    /** Undefined: the text stays. */
    afterSending(message: string) {
      if (text() === left?.joined && message === left.message) return left.aside;
      return text() === message ? (end() ?? "") : undefined;
    },
    /** Both texts in one, because only one is stored. */
    leave() {
      if (!current) return text();
      const { message, aside } = current;
      const edited = text() === message ? "" : text();
      const joined = [aside, edited].filter((one) => one.trim() !== "").join("\n\n");
      left = { joined, message: text(), aside };
      current = undefined;
      return joined;
    },
  };
}
