// Puts the focus into a form when it appears because somebody asked for it, and back when what had taken it closes.

import { onMount } from "solid-js";

/** For `ref`: the first element inside that the selector finds. */
export function focusOn(selector: string): (element: HTMLElement) => void {
  return (element) => onMount(() => element.querySelector<HTMLElement>(selector)?.focus());
}

/** What has the focus now; inside a menu, which is about to close, what opened it. Returns how to give the focus back. */
export function keepFocus(): () => void {
  const active = document.activeElement;
  const opener = active?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  const before = (opener && document.getElementById(opener)) || active;
  return () => {
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  };
}
