// Tracks whether the end of a text came into view. That is as close as a page can get to knowing that it was read.

import { createEffect, createSignal, on, onCleanup } from "solid-js";

interface Seen {
  readonly all: () => boolean;
  /** For the `ref` of the element after the text. */
  readonly end: (element: HTMLElement) => void;
  /** Scrolls to the end. */
  readonly show: () => void;
}

/** A new key starts over. */
export function createSeen(key: () => string): Seen {
  const [all, setAll] = createSignal(false);
  const [end, setEnd] = createSignal<HTMLElement>();
  createEffect(
    on([key, end], ([, element], before) => {
      if (before && before[0] !== key()) setAll(false);
      if (!element) return;
      const observer = new IntersectionObserver((entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setAll(true);
      });
      observer.observe(element);
      onCleanup(() => observer.disconnect());
    }),
  );
  return { all, end: setEnd, show: () => end()?.scrollIntoView({ block: "end" }) };
}
