// A text that was typed and can no longer be sent or saved: to read and to copy.

import type { JSX } from "solid-js";
import { CopyButton } from "../../kit/pieces.tsx";
import "./unsaved-text.css";

export function UnsavedText(props: {
  /** Of the message or the file. */
  readonly name: string;
  readonly text: string;
}): JSX.Element {
  return (
    <div class="unsaved-text">
      <div class="row">
        <span class="small strong wrap" dir="auto">
          {props.name}
        </span>
        <span class="end">
          <CopyButton text={props.text} label={`Copy ${props.name}`} />
        </span>
      </div>
      <pre class="block" dir="auto" tabIndex={0} role="region" aria-label={props.name}>
        {props.text}
      </pre>
    </div>
  );
}
