// The shortcut that saves the text in front.

import { onCleanup, onMount } from "solid-js";

/** Ctrl S or ⌘ S anywhere on the screen; inside an editor, the editor handles it. */
export function saveByKey(front: () => boolean, save: () => void): void {
  const onKeyDown = (event: KeyboardEvent) => {
    const wanted = event.key.toLowerCase() === "s" && (event.ctrlKey || event.metaKey);
    if (!wanted || event.altKey || event.shiftKey || !front()) return;
    if (event.defaultPrevented || document.querySelector("[role=dialog]")) return;
    event.preventDefault();
    save();
  };
  onMount(() => document.addEventListener("keydown", onKeyDown));
  onCleanup(() => document.removeEventListener("keydown", onKeyDown));
}
