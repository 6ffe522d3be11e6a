// Moves the focus into a form that a person opened, and restores it when an overlay closes.

import { onCleanup, onMount } from "solid-js";

/** For `ref`: focuses the first descendant that matches the selector. */
export function focusOn(selector: string): (element: HTMLElement) => void {
  return (element) => onMount(() => element.querySelector<HTMLElement>(selector)?.focus());
}

/** Whether the focus is in the element, or nowhere. A person who has moved it elsewhere meanwhile keeps it. */
export function mayTakeFocus(from: Element | undefined): boolean {
  const at = document.activeElement;
  return at === null || at === document.body || (from?.contains(at) ?? false);
}

/** Whether the focus is where a person types or is asked: nothing that arrives by itself may take it from there. */
export function isTyping(): boolean {
  return document.activeElement?.matches("input, textarea, [role=dialog] *, [contenteditable]") ?? false;
}

/** Counts keys and clicks: whoever does something meanwhile keeps the focus where it is. */
export function countActs(): () => number {
  let count = 0;
  const hear = () => (count += 1);
  for (const type of ["keydown", "pointerdown"]) {
    document.addEventListener(type, hear, { capture: true });
    onCleanup(() => document.removeEventListener(type, hear, { capture: true }));
  }
  return () => count;
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

/** Gives the pane the focus of an element in it that is removed; otherwise the next Tab would begin at the top of the page. */
export function holdFocus(pane: HTMLElement): void {
  let focused: EventTarget | null = null;
  pane.addEventListener("focusin", ({ target }) => (focused = target));
  // A removed element loses the focus too, but is gone by the end of the task.
  pane.addEventListener("focusout", ({ target }) =>
    queueMicrotask(() => {
      if (focused === target && (target as Node).isConnected) focused = null;
    }),
  );
  const observer = new MutationObserver(() => {
    if (!(focused instanceof Element) || focused.isConnected) return;
    focused = null;
    if (document.activeElement === document.body) pane.focus({ preventScroll: true });
  });
  observer.observe(pane, { childList: true, subtree: true });
  onCleanup(() => observer.disconnect());
}
