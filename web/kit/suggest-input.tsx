// A text field with optional suggestions, for filters whose values are not all known.

import { createUniqueId, For, type JSX } from "solid-js";
import { Field } from "./form.tsx";

export function SuggestInput(props: {
  readonly label: string;
  readonly value: string;
  readonly suggestions: readonly string[];
  /** Called on blur, on Enter, and when a suggestion is chosen. */
  readonly onChange: (value: string) => void;
  readonly placeholder: string;
}): JSX.Element {
  const list = createUniqueId();
  return (
    <Field label={props.label}>
      {(field) => (
        <>
          <input
            class="input"
            id={field.id}
            list={list}
            dir="auto"
            autocomplete="off"
            value={props.value}
            placeholder={props.placeholder}
            onChange={(event) => props.onChange(event.currentTarget.value.trim())}
          />
          <datalist id={list}>
            <For each={props.suggestions}>{(suggestion) => <option value={suggestion} />}</For>
          </datalist>
        </>
      )}
    </Field>
  );
}
