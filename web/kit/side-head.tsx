// The header of a side pane whose title does not change: title, tag, and the button that closes the pane.

import X from "lucide-solid/icons/x";
import { type JSX, Show } from "solid-js";
import { IconButton } from "./button.tsx";

export function SideHead(props: {
  readonly title: string;
  readonly tag?: string;
  readonly onClose: () => void;
}): JSX.Element {
  return (
    <header class="section side-head">
      <h2 class="pane-title wrap" dir="auto">
        {props.title}
      </h2>
      <Show when={props.tag}>
        <span class="tag" title={props.tag}>
          {props.tag}
        </span>
      </Show>
      <IconButton small label="Close" onClick={() => props.onClose()}>
        <X aria-hidden="true" />
      </IconButton>
    </header>
  );
}
