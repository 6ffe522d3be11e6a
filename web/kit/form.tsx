// Form fields with label, hint and problem, and the state of a submission. A problem is shown beside the field that it names, any other above
// the buttons. A refusal never loses input.

import { useIsRouting } from "@solidjs/router";
import { type Accessor, createEffect, createSignal, createUniqueId, For, type JSX, Show } from "solid-js";
import { asProblem, fieldOf, type Problem, waitOf } from "../api/problem.ts";
import { createProblem } from "../api/reach.ts";
import { createCountdown } from "./countdown.ts";
import { mayTakeFocus } from "./focus.ts";
import { startsLower } from "./format.ts";

const SECOND_MS = 1_000;

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

/** `children` receives the id for the label and the ids that describe the field. */
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
        <span
          class="problem"
          classList={{ "from-server": startsLower(props.problem!) }}
          id={`${id}-problem`}
          role="alert"
        >
          {props.problem}
        </span>
      </Show>
    </div>
  );
}

interface InputProps extends FieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: "text" | "password" | "url" | "number" | "search" | "date";
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

/** Shared by inputs and text areas. Getters, so that only changed attributes are written. */
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

/** For a handful of choices; use `Combobox` for long lists. */
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
  /** The problem with this field. */
  readonly of: (field: string) => string | undefined;
  /** A problem that belongs to none of the form's fields. */
  readonly problem: Accessor<Problem | undefined>;
  /** Seconds left until the server takes another attempt; until then nothing is sent. 0: no wait. */
  readonly wait: Accessor<number>;
  /** For the form's `onSubmit`, and for buttons. */
  readonly submit: (event?: Event) => Promise<void>;
  readonly clear: () => void;
}

/** `fields`: the fields that show their own problems. `send` raises `Problem`. */
export function createSubmission(fields: readonly string[], send: () => Promise<unknown>): Submission {
  const [isSending, setSending] = createSignal(false);
  const isRouting = useIsRouting();
  /** It led to another page, whose screen is still loading. Sending again would do it twice. */
  const [leads, setLeads] = createSignal(false);
  createEffect(() => !isRouting() && setLeads(false));
  const busy = () => isSending() || leads();
  const [problem, setProblem] = createProblem();
  const [until, setUntil] = createSignal<number>();
  const left = createCountdown(until);
  const wait = () => Math.ceil(left() / SECOND_MS);
  createEffect(() => {
    if (until() !== undefined && wait() === 0) setUntil(undefined);
  });
  const refuse = (found: Problem) => {
    const seconds = waitOf(found);
    if (seconds === undefined) setProblem(found);
    else setUntil(Date.now() + seconds * SECOND_MS);
  };
  const named = () => {
    const found = problem();
    const field = found && fieldOf(found);
    return field && fields.includes(field.field) ? field : undefined;
  };
  return {
    busy,
    of: (field) => (named()?.field === field ? named()!.problem : undefined),
    problem: () => (named() ? undefined : problem()),
    wait,
    clear: () => setProblem(undefined),
    submit: async (event) => {
      event?.preventDefault();
      if (busy() || wait() > 0) return;
      const form = formOf(event);
      setSending(true);
      setProblem(undefined);
      try {
        await send();
        setLeads(isRouting());
      } catch (error) {
        refuse(asProblem(error));
      } finally {
        setSending(false);
      }
      if (form && problem()) showRefusal(form);
    },
  };
}

/** The form that is sent; by a key such as Ctrl S, the one that has the focus. */
function formOf(event: Event | undefined): HTMLFormElement | null {
  const from = event?.target instanceof Element ? event.target : document.activeElement;
  return from?.closest("form") ?? null;
}

/** Focuses the refused field, or scrolls to the problem that is about none, unless the person has moved on. */
function showRefusal(form: HTMLFormElement): void {
  if (!mayTakeFocus(form)) return;
  const field = form.querySelector<HTMLElement>('[aria-invalid="true"]');
  if (field) field.focus();
  else form.querySelector('[role="alert"]')?.scrollIntoView({ block: "nearest" });
}
