// Fields with their label, hint and problem, and the state of a form: busy while it is sent, what the server refused beside the field it
// named, everything else above the buttons. Input is never lost by a refusal.

import { type Accessor, createSignal, createUniqueId, For, type JSX, Show } from "solid-js";
import { asProblem, fieldOf, type Problem } from "../api/problem.ts";

interface FieldProps {
  readonly label: string;
  readonly hint?: JSX.Element;
  readonly problem?: string | undefined;
}

interface FieldState {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
}

/** `children` gets the id for the label and what describes the field. */
export function Field(
  props: FieldProps & { readonly children: (field: FieldState) => JSX.Element },
): JSX.Element {
  const id = createUniqueId();
  const describedBy = () =>
    [props.hint && `${id}-hint`, props.problem && `${id}-problem`].filter(Boolean).join(" ") || undefined;
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      {props.children({
        id,
        get describedBy() {
          return describedBy();
        },
        get invalid() {
          return props.problem !== undefined;
        },
      })}
      <Show when={props.hint}>
        <span class="hint" id={`${id}-hint`}>
          {props.hint}
        </span>
      </Show>
      <Show when={props.problem}>
        <span class="problem" id={`${id}-problem`} role="alert">
          {props.problem}
        </span>
      </Show>
    </div>
  );
}

interface InputProps extends FieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: "text" | "password" | "url" | "number" | "search";
  readonly placeholder?: string;
  readonly autocomplete?: string;
  readonly autofocus?: boolean;
  /** For password managers. */
  readonly name?: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly mono?: boolean;
}

export function TextInput(props: InputProps): JSX.Element {
  return (
    <Field label={props.label} hint={props.hint} problem={props.problem}>
      {(field) => (
        <input
          {...typed(props, field)}
          class="input"
          name={props.name}
          type={props.type ?? "text"}
          autocomplete={props.autocomplete ?? "off"}
        />
      )}
    </Field>
  );
}

export function TextArea(props: InputProps & { readonly rows?: number }): JSX.Element {
  return (
    <Field label={props.label} hint={props.hint} problem={props.problem}>
      {(field) => <textarea {...typed(props, field)} class="input" rows={props.rows ?? 4} />}
    </Field>
  );
}

/** What is the same for everything that one types into. Getters, so that only what changed is written again. */
function typed(props: InputProps, field: FieldState) {
  return {
    id: field.id,
    dir: "auto" as const,
    get classList() {
      return { mono: props.mono ?? false };
    },
    get value() {
      return props.value;
    },
    get placeholder() {
      return props.placeholder;
    },
    get autofocus() {
      return props.autofocus;
    },
    get required() {
      return props.required;
    },
    get disabled() {
      return props.disabled;
    },
    get "aria-invalid"() {
      return field.invalid ? ("true" as const) : undefined;
    },
    get "aria-describedby"() {
      return field.describedBy;
    },
    onInput: (event: InputEvent & { currentTarget: { value: string } }) =>
      props.onInput(event.currentTarget.value),
  };
}

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly disabled?: boolean;
}

/** For a handful of choices; long lists take `Combobox`. */
export function Select(
  props: FieldProps & {
    readonly value: string;
    readonly choices: readonly Choice[];
    readonly onChange: (value: string) => void;
    readonly disabled?: boolean;
  },
): JSX.Element {
  return (
    <Field label={props.label} hint={props.hint} problem={props.problem}>
      {(field) => (
        <select
          class="input"
          id={field.id}
          disabled={props.disabled}
          aria-invalid={field.invalid ? "true" : undefined}
          aria-describedby={field.describedBy}
          onChange={(event) => props.onChange(event.currentTarget.value)}
        >
          <For each={props.choices}>
            {(choice) => (
              <option value={choice.value} disabled={choice.disabled} selected={choice.value === props.value}>
                {choice.label}
              </option>
            )}
          </For>
        </select>
      )}
    </Field>
  );
}

export interface Submission {
  readonly busy: Accessor<boolean>;
  /** What the server said about this field. */
  readonly of: (field: string) => string | undefined;
  /** What it said that is about none of the fields asked for with `of`. */
  readonly problem: Accessor<Problem | undefined>;
  /** For `onSubmit` of the form, and for buttons. */
  readonly submit: (event?: Event) => Promise<void>;
  readonly clear: () => void;
}

/** `fields`: the names that the form shows beside an input. `send` raises what the server refused. */
export function createSubmission(fields: readonly string[], send: () => Promise<unknown>): Submission {
  const [busy, setBusy] = createSignal(false);
  const [problem, setProblem] = createSignal<Problem>();
  const named = () => {
    const found = problem();
    const field = found && fieldOf(found);
    return field && fields.includes(field.field) ? field : undefined;
  };
  return {
    busy,
    of: (field) => (named()?.field === field ? named()!.problem : undefined),
    problem: () => (named() ? undefined : problem()),
    clear: () => setProblem(undefined),
    submit: async (event) => {
      event?.preventDefault();
      if (busy()) return;
      const form = event?.target;
      setBusy(true);
      setProblem(undefined);
      try {
        await send();
      } catch (error) {
        setProblem(asProblem(error));
      } finally {
        setBusy(false);
      }
      if (named() && form instanceof HTMLFormElement) focusRefused(form);
    },
  };
}

/** Where to put it right, unless the person has gone on to something else. */
function focusRefused(form: HTMLFormElement): void {
  const at = document.activeElement;
  if (at === null || at === document.body || form.contains(at))
    form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}
