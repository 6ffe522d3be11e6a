// Moves the focus into a form that a person opened, and restores it when an overlay closes.

import { onMount } from "solid-js";

/** For `ref`: focuses the first descendant that matches the selector. */
export function focusOn(selector: string): (element: HTMLElement) => void {
  return (element) => onMount(() => element.querySelector<HTMLElement>(selector)?.focus());
}

/** Returns a function that restores the current focus. Inside a menu, which is about to close, that is the menu's trigger. */
export function keepFocus(): () => void {
  const active = document.activeElement;
  const opener = active?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  const before = (opener && document.getElementById(opener)) || active;
  return () => {
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  };
}
