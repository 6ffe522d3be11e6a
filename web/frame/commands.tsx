// Search and commands, as the first load needs them: the key that opens the palette, and the actions that screens offer while they are
// there. The palette itself (palette.tsx) is loaded when it is opened.

import { createSignal, type JSX, lazy, onCleanup, onMount, Show, Suspense } from "solid-js";
import type { Action } from "../kit/menu.tsx";

/** `group`: the heading under which it is found. */
export interface CommandAction extends Action {
  readonly group?: string;
}

type Source = () => readonly CommandAction[];

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
const [open, setOpen] = createSignal(false);
const [sources, setSources] = createSignal<readonly Source[]>([]);

export const openCommands = () => void setOpen(true);

/** What the screens that are open offer, the last opened first. */
export const offeredActions = () => sources().flatMap((source) => source());

/** For a screen: what can be done there, in the palette while the screen is there. Tracked. */
export function useActions(actions: Source): void {
  setSources((before) => [actions, ...before]);
  onCleanup(() => setSources((before) => before.filter((source) => source !== actions)));
}

/** A shell has its own use for Ctrl K. */
const OWN_KEYS = ".xterm";

export function CommandHost(): JSX.Element {
  const onKeyDown = (event: KeyboardEvent) => {
    const wanted = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
    if (!wanted || event.altKey || event.shiftKey || event.isComposing) return;
    if (event.ctrlKey && event.target instanceof Element && event.target.closest(OWN_KEYS)) return;
    event.preventDefault();
    // A question that waits for an answer comes first.
    if (open() || document.querySelector("[role=dialog]") === null) setOpen(!open());
  };
  onMount(() => document.addEventListener("keydown", onKeyDown));
  onCleanup(() => document.removeEventListener("keydown", onKeyDown));
  onCleanup(() => setOpen(false));
  return (
    <Show when={open()}>
      <Suspense>
        <Palette onClose={() => setOpen(false)} />
      </Suspense>
    </Show>
  );
}
