// The shortcut that opens the palette. The palette itself (palette.tsx) is loaded when it is first opened.

import { createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import { later } from "../kit/later.tsx";
import { onLeaving } from "../kit/leaving.ts";

const Palette = later(async () => (await import("./palette.tsx")).Palette);
const [open, setOpen] = createSignal(false);

export const openCommands = () => void setOpen(true);

/** The terminal passes Ctrl K to the shell. */
const OWN_KEYS = ".xterm";

export function CommandHost(): JSX.Element {
  const onKeyDown = (event: KeyboardEvent) => {
    const wanted = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
    if (!wanted || event.altKey || event.shiftKey || event.isComposing) return;
    if (event.ctrlKey && event.target instanceof Element && event.target.closest(OWN_KEYS)) return;
    event.preventDefault();
    // An open dialog keeps the focus.
    if (open() || document.querySelector("[role=dialog]") === null) setOpen(!open());
  };
  onMount(() => document.addEventListener("keydown", onKeyDown));
  onCleanup(() => document.removeEventListener("keydown", onKeyDown));
  onCleanup(() => setOpen(false));
  onLeaving(() => void setOpen(false));
  return (
    <Show when={open()}>
      <Palette onClose={() => setOpen(false)} />
    </Show>
  );
}
