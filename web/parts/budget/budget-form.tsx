// Limits per turn and per day, in tokens and in dollars. An empty field means no limit.

import { createSignal, type JSX, Show } from "solid-js";
import type { Budget } from "../../../src/service/workspaces/schema.ts";
import { asProblem, fieldOf, fieldProblem, withField } from "../../api/problem.ts";
import { focusOn } from "../../kit/focus.ts";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";
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
  readonly budget: Budget | null;
  /** Null removes all limits. Raises `Problem`. */
  readonly send: (budget: Budget | null) => Promise<unknown>;
  readonly onDone: () => void;
  readonly note?: string;
  readonly disabled?: boolean;
  /** Above the buttons. */
  readonly children?: JSX.Element;
}): JSX.Element {
  const begun = props.budget ?? {};
  const [fields, setFields] = createSignal<Readonly<Record<Limit, string>>>({
    tokens_per_turn: text(begun.tokens_per_turn),
    tokens_per_day: text(begun.tokens_per_day),
    cost_per_turn: text(begun.cost_per_turn),
    cost_per_day: text(begun.cost_per_day),
  });
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

const text = (value: number | null | undefined) =>
  value === null || value === undefined ? "" : String(value);

/** Raises `Problem` for a field that is not a number above zero. */
function budgetOf(fields: Readonly<Record<Limit, string>>): Budget | null {
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
