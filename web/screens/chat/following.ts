// Whether a list is at its end, and stays there while it grows. One who has gone up, by however little, is left alone until they come back.

import { createSignal, type Accessor } from "solid-js";

const AT_END_PX = 2;
/** Nearer than this one needs no button to get there. */
const NEAR_END_PX = 48;

export interface Following {
  /** At the end, or as good as. */
  readonly atEnd: Accessor<boolean>;
  /** The last one that was there when one left the end. */
  readonly seen: Accessor<string | undefined>;
  /** After every scroll. */
  readonly scrolled: (last: string | undefined) => void;
  /** After every change of the list's size. */
  readonly grown: () => void;
  /** From here on it follows. */
  readonly begin: () => void;
}

export function createFollowing(scroller: () => HTMLElement): Following {
  const [atEnd, setAtEnd] = createSignal(true);
  const [seen, setSeen] = createSignal<string>();
  let following = true;
  let before = { top: 0, height: 0 };
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
      if (following) scroller().scrollTop = scroller().scrollHeight;
    },
    begin() {
      following = true;
      setAtEnd(true);
      setSeen(undefined);
    },
  };
}
