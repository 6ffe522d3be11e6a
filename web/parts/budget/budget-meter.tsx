// The share of the daily limits that was used, the limits per turn, and what they miss.

import { A } from "@solidjs/router";
import { createMemo, For, type JSX, Show } from "solid-js";
import type { Usage } from "../../../src/service/usage/schema.ts";
import type { Budget } from "../../../src/service/workspaces/schema.ts";
import { costText, count, money, percent, plural } from "../../kit/format.ts";
import "./budget.css";

interface Daily {
  readonly text: string;
  readonly share: number;
}

/** Of an agent without a call. */
export const NOTHING_USED: Usage["today"] = { tokens: 0, cost: 0, unpriced_calls: 0 };

export function BudgetMeter(props: {
  readonly budget: Budget | null;
  readonly today: Usage["today"];
}): JSX.Element {
  const daily = createMemo((): readonly Daily[] => {
    const { cost_per_day: cost, tokens_per_day: limit } = props.budget ?? {};
    const { today } = props;
    return [
      ...(cost
        ? [{ text: `${costText(today)} of ${money(cost)} today`, share: (today.cost ?? 0) / cost }]
        : []),
      ...(limit
        ? [{ text: `${count(today.tokens)} of ${count(limit)} tokens today`, share: today.tokens / limit }]
        : []),
    ];
  });
  /** Calls that a limit in dollars misses. */
  const uncounted = () => {
    const { cost_per_day: day, cost_per_turn: turn } = props.budget ?? {};
    return day || turn ? props.today.unpriced_calls : 0;
  };
  const aTurn = createMemo(() => {
    const { cost_per_turn: cost, tokens_per_turn: limit } = props.budget ?? {};
    const limits = [cost ? money(cost) : "", limit ? `${count(limit)} tokens` : ""].filter(Boolean);
    return limits.length === 0 ? undefined : `At most ${limits.join(" and ")} per turn`;
  });
  return (
    <div class="budget-meter">
      <For
        each={daily()}
        fallback={
          <p class="num">
            {plural(props.today.tokens, "token")}, {costText(props.today)} today
            <Show when={!aTurn()}>
              <span class="muted">; no limit</span>
            </Show>
          </p>
        }
      >
        {(one) => (
          <div>
            <div class="row num">
              <span>{one.text}</span>
              <span class="end small muted">{percent(one.share)}</span>
            </div>
            <div class="bar budget-bar" classList={{ used: one.share >= 1 }} aria-hidden="true">
              <i style={{ width: `${Math.min(1, one.share) * 100}%` }} />
            </div>
            <Show when={one.share >= 1}>
              <p class="small budget-over">
                Used up. Running work finishes; new work starts after midnight UTC.
              </p>
            </Show>
          </div>
        )}
      </For>
      <Show when={aTurn()}>{(words) => <p class="num">{words()}</p>}</Show>
      <Show when={uncounted()}>
        {(calls) => (
          <p class="small budget-over">
            {plural(calls(), "call")} today had no price, so the limits in dollars do not count{" "}
            {calls() === 1 ? "it" : "them"}. <A href="/models">Set prices</A>, or limit tokens.
          </p>
        )}
      </Show>
    </div>
  );
}
