// Tokens and cost of turns, summed from their model calls. Read when a turn becomes visible, a few at a time. Sums of a finished turn are final
// and kept.

import { createSignal, type Signal } from "solid-js";
import type { CallSummary, Turn } from "../../../src/service/turns/schema.ts";
import { api, take } from "../../api/client.ts";
import { sumOfMoney } from "../../kit/format.ts";
import { isOpen } from "../../state/workspace-state.ts";

interface TurnSums {
  readonly calls: number;
  /** Null if no call reported any. */
  readonly tokens: number | null;
  /** Calls without reported tokens. */
  readonly unreported: number;
  /** Null if no call has a known price. */
  readonly cost: number | null;
}

const AT_ONCE_MAX = 4;

export interface SumReader {
  readonly of: (turnId: number) => TurnSums | undefined;
  /** An open turn is read again when `again` changes. */
  readonly want: (turn: Turn, again: number) => void;
}

export function createSums(): SumReader {
  const known = new Map<number, Signal<TurnSums | undefined>>();
  const read = new Map<number, string>();
  const waiting: number[] = [];
  let busy = 0;
  const slot = (turnId: number) => {
    const found = known.get(turnId) ?? createSignal<TurnSums>();
    known.set(turnId, found);
    return found;
  };
  const next = async (): Promise<void> => {
    const turnId = busy < AT_ONCE_MAX ? waiting.shift() : undefined;
    if (turnId === undefined) return;
    busy += 1;
    try {
      slot(turnId)[1](sumsOf(await take(api.turns({ id: turnId }).calls.get())));
    } catch {
      // The sum stays empty and is read again on the next look.
      read.delete(turnId);
    }
    busy -= 1;
    void next();
  };
  return {
    of: (turnId) => slot(turnId)[0](),
    want: (turn, again) => {
      const state = isOpen(turn.status) ? `${turn.status} ${again}` : turn.status;
      if (read.get(turn.id) === state) return;
      read.set(turn.id, state);
      waiting.push(turn.id);
      void next();
    },
  };
}

function sumsOf(calls: readonly CallSummary[]): TurnSums {
  const reported = calls.filter((call) => call.input_tokens !== null || call.output_tokens !== null);
  const priced = calls.filter((call) => call.cost !== null);
  return {
    calls: calls.length,
    tokens:
      reported.length === 0
        ? null
        : reported.reduce((sum, call) => sum + (call.input_tokens ?? 0) + (call.output_tokens ?? 0), 0),
    unreported: calls.length - reported.length,
    cost: priced.length === 0 ? null : sumOfMoney(priced.map((call) => call.cost ?? 0)),
  };
}
