// Why a bound document is not in front of the model. The prompt says the same, in parentheses.

import type { JSX } from "solid-js";

export function UnreadNote(props: { readonly text: string }): JSX.Element {
  const words = () => props.text.replace(/^\((?<inside>.*)\)$/s, "$<inside>");
  return <p class="inspector-note small muted">{words()}</p>;
}
