// The shortcut that opens the palette. The palette itself (palette.tsx) is loaded when it is first opened.

import { createSignal, type JSX, lazy, onCleanup, onMount, Show, Suspense } from "solid-js";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
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
  return (
    <Show when={open()}>
      <Suspense>
        <Palette onClose={() => setOpen(false)} />
      </Suspense>
    </Show>
  );
}
