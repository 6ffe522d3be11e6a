// Whether all of a text was on the screen: its end came into view. Scrolling is what a person does with a text that they read; whether they
// read it nobody can know.

import { createEffect, createSignal, on, onCleanup } from "solid-js";

export interface Seen {
  readonly all: () => boolean;
  /** Of the element after the text. */
  readonly end: (element: HTMLElement) => void;
  /** Brings what was not seen into view. */
  readonly show: () => void;
}

/** Another key is another text. */
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
