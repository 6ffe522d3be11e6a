// Limits per turn and per day, in tokens and in dollars. An empty field means no limit.

import {
  type Accessor,
  createEffect,
  createSignal,
  type JSX,
  on,
  onCleanup,
  type Setter,
  Show,
} from "solid-js";
import type { Budget } from "../../../src/service/workspaces/schema.ts";
import { asProblem, fieldOf, fieldProblem, withField } from "../../api/problem.ts";
import { focusOn } from "../../kit/focus.ts";
import { followed } from "../../kit/followed.ts";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";
import { guardLeaving } from "../../kit/leaving.ts";
import { unlessMovedOn } from "../../kit/moved-on.ts";
import "./budget.css";

type Limit = keyof Budget;

const PATH = "budget.";

const LIMITS: readonly (readonly [name: Limit, label: string])[] = [
  ["tokens_per_turn", "Tokens per turn"],
  ["tokens_per_day", "Tokens per day"],
  ["cost_per_turn", "Dollars per turn"],
  ["cost_per_day", "Dollars per day"],
];

export function BudgetForm(props: {
  /** An agent, or the workspace. */
  readonly of: string;
  readonly budget: Budget | null;
  /** Null removes all limits. Raises `Problem`. */
  readonly send: (budget: Budget | null) => Promise<unknown>;
  readonly onDone: () => void;
  /** Tells whether limits are typed that are not saved, until the form is gone. */
  readonly onEdited?: (isEdited: boolean) => void;
  readonly note?: string;
  readonly disabled?: boolean;
  /** Above the buttons. */
  readonly children?: JSX.Element;
}): JSX.Element {
  const [fields, setFields, isEdited] = createFields(
    () => props.budget,
    () => props.of,
  );
  createEffect(() => props.onEdited?.(isEdited()));
  onCleanup(() => props.onEdited?.(false));
  const close = unlessMovedOn(() => props.onDone());
  const form = createSubmission(
    LIMITS.map(([name]) => name),
    async () => {
      try {
        await props.send(budgetOf(fields()));
      } catch (error) {
        throw withoutPath(error);
      }
      close();
    },
  );
  return (
    <form
      ref={focusOn("input")}
      class="form"
      onSubmit={(event) => void form.submit(event)}
      aria-label="Limits"
      novalidate
    >
      <div class="budget-fields">
        {LIMITS.map(([name, label]) => (
          <TextInput
            label={label}
            value={fields()[name]}
            placeholder="no limit"
            onInput={(value) => setFields((before) => ({ ...before, [name]: value }))}
            problem={form.of(name)}
          />
        ))}
      </div>
      <p class="small muted">
        At a limit, the agent gives one last answer without tools. Days start at midnight UTC. Limits in
        dollars count only models with prices.
        <Show when={props.note}> {props.note}</Show>
      </p>
      <FormActions
        form={form}
        action="Save limits"
        small
        disabled={props.disabled ?? false}
        onCancel={props.onDone}
      >
        {props.children}
      </FormActions>
    </form>
  );
}

type Texts = Readonly<Record<Limit, string>>;

function textsOf(budget: Budget | null): Texts {
  return Object.fromEntries(LIMITS.map(([name]) => [name, String(budget?.[name] ?? "")])) as Texts;
}

function createFields(
  budget: () => Budget | null,
  of: () => string,
): [fields: Accessor<Texts>, set: Setter<Texts>, isEdited: Accessor<boolean>] {
  const [before, setBefore] = createSignal(textsOf(budget()));
  const [fields, setFields] = createSignal(before());
  // Saving sends all of them, so the others must not be older than what someone else has saved meanwhile.
  createEffect(
    on(
      budget,
      (saved) => {
        const now = textsOf(saved);
        setFields(followed(fields(), before(), now));
        setBefore(now);
      },
      { defer: true },
    ),
  );
  const changed = () => LIMITS.filter(([name]) => fields()[name] !== before()[name]);
  const isEdited = () => changed().length > 0;
  guardLeaving(isEdited, () => ({
    name: `Limits of ${of()}`,
    text: changed()
      .map(([name, label]) => `${label}: ${fields()[name]}`)
      .join("\n"),
  }));
  return [fields, setFields, isEdited];
}

/** Raises `Problem` for a field that is not a number above zero. */
function budgetOf(fields: Texts): Budget | null {
  const budget: { -readonly [K in Limit]?: number } = {};
  for (const [name] of LIMITS) {
    const written = fields[name].trim().replace(/^\$/, "").replaceAll(/[ _]/g, "");
    if (written === "") continue;
    const value = /^\d+(\.\d+)?$/.test(written) ? Number(written) : Number.NaN;
    const whole = name.startsWith("tokens");
    if (!(value > 0) || (whole && !Number.isSafeInteger(value)))
      throw fieldProblem(
        name,
        whole
          ? "Enter a whole number above 0, or nothing."
          : "Enter an amount above 0, such as 0.50, or nothing.",
      );
    budget[name] = value;
  }
  return Object.keys(budget).length === 0 ? null : budget;
}

/** Renames the server's field path, `budget.tokens_per_day`, to the form's field. */
function withoutPath(error: unknown): unknown {
  const problem = asProblem(error);
  const field = fieldOf(problem)?.field ?? "";
  return field.startsWith(PATH) ? withField(problem, field.slice(PATH.length)) : problem;
}
