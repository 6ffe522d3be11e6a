// A text field with suggestions that one need not take: filters whose values are known only in part.

import { createUniqueId, For, type JSX } from "solid-js";
import { Field } from "./form.tsx";

export function SuggestInput(props: {
  readonly label: string;
  readonly value: string;
  readonly suggestions: readonly string[];
  /** When it was left, chosen from the list, or Enter was pressed. */
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
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
