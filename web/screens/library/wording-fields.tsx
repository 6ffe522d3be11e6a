// The name and text fields of an instruction.

import type { JSX } from "solid-js";
import { plural } from "../../kit/format.ts";
import { type Submission, TextArea, TextInput } from "../../kit/form.tsx";

export interface Wording {
  readonly name: string;
  readonly text: string;
}

const ROWS = 18;

export function WordingFields(props: {
  readonly value: Wording;
  readonly onChange: (value: Wording) => void;
  readonly sent: Submission;
}): JSX.Element {
  return (
    <>
      <TextInput
        label="Name"
        value={props.value.name}
        onInput={(name) => props.onChange({ ...props.value, name })}
        problem={props.sent.of("name")}
        required
      />
      <TextArea
        label="Text"
        value={props.value.text}
        onInput={(text) => props.onChange({ ...props.value, text })}
        problem={props.sent.of("text")}
        hint={`${plural([...props.value.text].length, "character")}. Markdown is sent unchanged.`}
        rows={ROWS}
        mono
        required
      />
    </>
  );
}
