// A tooltip, for names of icons and the full form of truncated text. Never the only place of something a person must know.

import { Tooltip } from "@kobalte/core/tooltip";
import type { JSX } from "solid-js";

const OPEN_DELAY_MS = 500;

export function Tip(props: { readonly text: string; readonly children: JSX.Element }): JSX.Element {
  return (
    <Tooltip openDelay={OPEN_DELAY_MS} gutter={6}>
      <Tooltip.Trigger as="span" tabIndex={-1} class="tip">
        {props.children}
      </Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content class="tooltip">{props.text}</Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip>
  );
}
