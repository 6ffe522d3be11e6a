// Keeps a list at its end while it grows. Scrolling up, by however little, stops that until the reader returns to the end.

import { createSignal, onCleanup, type Accessor } from "solid-js";

const AT_END_PX = 2;
/** Rows are measured within this time after a click. */
const HOLD_MS = 250;
/** Nearer than this, no button is shown. */
const NEAR_END_PX = 48;

interface Following {
  /** At the end, or near it. */
  readonly atEnd: Accessor<boolean>;
  /** The last item when the reader left the end. */
  readonly seen: Accessor<string | undefined>;
  /** Call after every scroll. */
  readonly scrolled: (last: string | undefined) => void;
  /** Call after every change of the list's size. */
  readonly grown: () => void;
  /** Starts following. */
  readonly begin: () => void;
  /** Stops following, before a scroll to somewhere else. */
  readonly leave: () => void;
  /** Keeps an element where it is on the screen while a click on it changes what is below or above. */
  readonly hold: (element: HTMLElement) => void;
}

/** `onLetGo`: a held element is free again, and the list may be at its end or not. */
export function createFollowing(scroller: () => HTMLElement, onLetGo: () => void): Following {
  const [atEnd, setAtEnd] = createSignal(true);
  const [seen, setSeen] = createSignal<string>();
  let following = true;
  let before = { top: 0, height: 0 };
  let held: { readonly element: HTMLElement; readonly top: number } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const putBack = () => {
    if (!held?.element.isConnected) return;
    scroller().scrollTop += held.element.getBoundingClientRect().top - held.top;
  };
  return {
    atEnd,
    seen,
    scrolled(last) {
      const { scrollTop: top, scrollHeight: height, clientHeight } = scroller();
      const below = height - top - clientHeight;
      if (below <= AT_END_PX) following = true;
      else if (top < before.top && height >= before.height) following = false;
      before = { top, height };
      const end = following || below <= NEAR_END_PX;
      if (end === atEnd()) return;
      setAtEnd(end);
      setSeen(end ? undefined : last);
    },
    grown() {
      if (held) putBack();
      else if (following) scroller().scrollTop = scroller().scrollHeight;
    },
    hold(element) {
      held = { element, top: element.getBoundingClientRect().top };
      following = false;
      clearTimeout(timer);
      timer = setTimeout(() => {
        putBack();
        held = undefined;
        onLetGo();
      }, HOLD_MS);
    },
    leave() {
      held = undefined;
      following = false;
    },
    begin() {
      held = undefined;
      following = true;
      setAtEnd(true);
      setSeen(undefined);
    },
  };
}
