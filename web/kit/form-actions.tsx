// The end of a form: a problem that belongs to no field, Cancel, and the submit button.

import { type JSX, Show } from "solid-js";
import { Button, type ButtonProps } from "./button.tsx";
import type { Submission } from "./form.tsx";
import { ProblemNotice } from "./states.tsx";

export function FormActions(props: {
  readonly form: Submission;
  /** The label of the submit button. */
  readonly action: JSX.Element;
  /** Shows Cancel. */
  readonly onCancel?: (() => void) | undefined;
  readonly kind?: ButtonProps["kind"];
  readonly small?: boolean;
  readonly disabled?: boolean;
  /** Between the problem and the buttons. */
  readonly children?: JSX.Element;
}): JSX.Element {
  const size = () => ({ small: props.small ?? false });
  return (
    <>
      <Show when={props.form.problem()}>{(problem) => <ProblemNotice problem={problem()} />}</Show>
      {props.children}
      <div class="actions">
        <Show when={props.onCancel}>
          <Button {...size()} onClick={() => props.onCancel?.()}>
            Cancel
          </Button>
        </Show>
        <Button
          {...size()}
          type="submit"
          kind={props.kind ?? "primary"}
          busy={props.form.busy()}
          disabled={props.disabled ?? false}
        >
          {props.action}
        </Button>
      </div>
    </>
  );
}
