// Paper shows the conversation as a whole, of which the list on the screen has only the rows in sight: between the browser's two events, all
// loaded rows are there. The command of the palette reads earlier pages before it prints.

import Printer from "lucide-solid/icons/printer";
import { type Accessor, createComponent, createSignal, onCleanup } from "solid-js";
import { useActions } from "../../frame/offered-actions.ts";
import { attempt } from "../../kit/toast.tsx";
import { useHere } from "../../state/here.ts";

/** Rendered at once, and so within a second or two. */
export const PRINTED_ROWS_MAX = 1_000;

/** `onEnd`: the screen is back, and needs its scroll position. */
export function createPrinting(onBegin: () => void, onEnd: () => void): Accessor<boolean> {
  const [printing, setPrinting] = createSignal(false);
  const begin = () => {
    onBegin();
    setPrinting(true);
  };
  const end = () => {
    setPrinting(false);
    onEnd();
  };
  window.addEventListener("beforeprint", begin);
  window.addEventListener("afterprint", end);
  onCleanup(() => {
    window.removeEventListener("beforeprint", begin);
    window.removeEventListener("afterprint", end);
  });
  return printing;
}

/** For a conversation that has `rows`. */
export function offerPrinting(rows: () => number): void {
  const here = useHere();
  const print = async () => {
    for (let before = -1; here.state().hasEarlier && before < rows() && rows() < PRINTED_ROWS_MAX;) {
      before = rows();
      await here.feed.loadEarlier();
    }
    window.print();
  };
  useActions(() =>
    here.view() !== "chat" || rows() === 0
      ? []
      : [
          {
            group: "This workspace",
            label: "Print conversation",
            icon: createComponent(Printer, { "aria-hidden": "true" }),
            run: () => void attempt(print),
          },
        ],
  );
}
