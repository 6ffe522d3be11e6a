// Keeps with an entry of the history how far its list is scrolled, so that Back, Forward and a reload return to the same rows. Must not move a pane
// after its reader has scrolled it.

import { onCleanup } from "solid-js";
import { onceLaidOut } from "./laid-out.ts";

/** Browsers refuse more than a hundred changes of an entry in some seconds. */
const KEEP_AFTER_MS = 100;

interface Kept {
  readonly path: string;
  readonly px: number;
}

/** Of the entry that a reload or a step through the history led to, until its reader does something there. */
let arrived = keptIn(history.state);
addEventListener("popstate", () => (arrived = keptIn(history.state)), { capture: true });
for (const act of ["pointerdown", "keydown", "wheel"])
  addEventListener(act, () => (arrived = undefined), { capture: true, passive: true });

function keptIn(state: unknown): Kept | undefined {
  return (state as { readonly scrolled?: Kept } | null)?.scrolled;
}

/** For `ref` of a list that fills its pane: the pane is the nearest ancestor that scrolls. A new entry begins at the top. */
export function keptScroll(list: HTMLElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const leave = () => clearTimeout(timer);
  let forget = () => {};
  onceLaidOut(list, () => {
    const pane = paneOf(list);
    // Not before: a link changes the address after its page is rendered.
    const path = location.pathname;
    const keep = () => {
      leave();
      timer = setTimeout(() => {
        const scrolled: Kept = { path, px: pane!.scrollTop };
        if (location.pathname === path) history.replaceState({ ...history.state, scrolled }, "");
      }, KEEP_AFTER_MS);
    };
    pane?.scrollTo(0, arrived?.path === path ? arrived.px : 0);
    pane?.addEventListener("scroll", keep, { passive: true });
    forget = () => pane?.removeEventListener("scroll", keep);
  });
  addEventListener("popstate", leave, { capture: true });
  onCleanup(() => {
    leave();
    forget();
    removeEventListener("popstate", leave, { capture: true });
  });
}

function paneOf(element: HTMLElement): HTMLElement | undefined {
  const above = element.parentElement;
  if (above === null) return undefined;
  return /auto|scroll/.test(getComputedStyle(above).overflowY) ? above : paneOf(above);
}
