// A toast that offers to take back what it tells.

import type { JSX } from "solid-js";
import { Button } from "./button.tsx";

/** `words`: without a full stop. */
export function Undoable(props: { readonly words: string; readonly onUndo: () => void }): JSX.Element {
  return (
    <span class="row">
      <span class="wrap">{props.words}.</span>
      <Button small onClick={() => props.onUndo()}>
        Undo
      </Button>
    </span>
  );
}
