// The end of a form: a problem that belongs to no field, or the wait after too many attempts; Cancel, and the submit button.

import Clock from "lucide-solid/icons/clock";
import { createMemo, type JSX, on, Show } from "solid-js";
import { Button, type ButtonProps } from "./button.tsx";
import type { Submission } from "./form.tsx";
import { plural } from "./format.ts";
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
      <FormProblem form={props.form} />
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
          disabled={(props.disabled ?? false) || props.form.wait() > 0}
        >
          {props.action}
        </Button>
      </div>
    </>
  );
}

/** Above the buttons. The seconds of a wait change on screen only: screen readers hear its beginning and its end. */
export function FormProblem(props: { readonly form: Submission }): JSX.Element {
  const waits = createMemo(() => props.form.wait() > 0);
  const said = createMemo(
    on(waits, (isWaiting, before) => {
      if (isWaiting) return `Too many attempts. Try again in ${plural(props.form.wait(), "second")}.`;
      return before === true ? "You can try again now." : "";
    }),
  );
  return (
    <>
      <Show when={props.form.problem()}>{(problem) => <ProblemNotice problem={problem()} />}</Show>
      <Show when={waits()}>
        <div class="notice bad">
          <Clock aria-hidden="true" />
          <div>
            Too many attempts. Try again in <span class="num">{props.form.wait()} s</span>.
          </div>
        </div>
      </Show>
      <span class="visually-hidden" role="status">
        {said()}
      </span>
    </>
  );
}
