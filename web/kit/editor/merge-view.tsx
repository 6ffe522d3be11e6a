// Two texts and their differences: side by side, or unified on narrow screens. The second text can be edited, and every
// difference has a button that takes the first text's piece.

import { createMemo, createSignal, type JSX, onCleanup } from "solid-js";
import { MountedText } from "./mounted-text.tsx";

/** Two columns of code are unreadable below this width. */
const SIDES_FROM_PX = 640;

interface MergeViewProps {
  readonly before: string;
  readonly beforeLabel: string;
  readonly value: string;
  readonly label: string;
  readonly fileName: string;
  readonly onChange: (value: string) => void;
  /** The label of the buttons between the texts. */
  readonly takeLabel: string;
  readonly onSave?: () => void;
}

export function MergeView(props: MergeViewProps): JSX.Element {
  const [unified, setUnified] = createSignal<boolean>();
  const before = createMemo(() => props.before);
  const watchRoom = (host: HTMLElement) => {
    const room = new ResizeObserver(() => {
      if (host.clientWidth > 0) setUnified(host.clientWidth < SIDES_FROM_PX);
    });
    room.observe(host);
    onCleanup(() => room.disconnect());
  };
  /** Undefined until the width is known: nothing is mounted before. */
  const identity = createMemo(() => {
    const together = unified();
    return together === undefined ? undefined : `${together} ${props.fileName}\n${before()}`;
  });
  return (
    <div class="merge">
      <div class="merge-names" classList={{ unified: unified() === true }} aria-hidden="true">
        <span class="merge-name">
          <i class="merge-mark before" />
          <span class="ellipsis">{props.beforeLabel}</span>
        </span>
        <span class="merge-name">
          <i class="merge-mark after" />
          <span class="ellipsis">{props.label}</span>
        </span>
      </div>
      <MountedText
        value={props.value}
        onChange={props.onChange}
        identity={identity()}
        pending="Comparing"
        onHost={watchRoom}
        mount={({ mountMerge }, { host, text, onChange, gone }) =>
          mountMerge(
            host,
            {
              before: props.before,
              beforeLabel: props.beforeLabel,
              text,
              label: props.label,
              fileName: props.fileName,
              readOnly: false,
              unified: unified() ?? false,
              takeLabel: props.takeLabel,
              onSave: props.onSave && (() => props.onSave?.()),
              onChange,
            },
            gone,
          )
        }
      />
    </div>
  );
}
