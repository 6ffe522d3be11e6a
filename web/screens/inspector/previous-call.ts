// Finds the previous model call for a prompt diff: of the same run, or of the same agent's last run.

import type { Accessor } from "solid-js";
import type { Call, CallSummary } from "../../../src/service/turns/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery, type Query } from "../../api/query.ts";
import { type Here, useHere } from "../../state/here.ts";

/** Calls of earlier turns than this are not compared. */
const TURNS_LOOKED_AT_MAX = 20;

export interface CallContext {
  /** Position among the calls of its run, from 1. */
  readonly number: number;
  /** Undefined for the agent's first call. */
  readonly previous: CallSummary | undefined;
  /** Position of `previous` among the calls of its run. */
  readonly previousNumber: number;
  /** The number of the turn of `previous`, if that is another turn. */
  readonly previousTurn: number | undefined;
  /** The next call of the same run. */
  readonly next: CallSummary | undefined;
}

/** Refetched when the call's status changes. */
export function callContext(call: Accessor<Call | undefined>): Query<CallContext> {
  const here = useHere();
  return createQuery(() => {
    const of = call();
    return of ? { key: ["call-context", of.id, of.status], read: () => find(here, of) } : undefined;
  });
}

async function find(here: Here, call: Call): Promise<CallContext> {
  const own = await take(api.turns({ id: call.turn_id }).calls.get());
  const run = own.filter(({ run_id: id }) => id === call.run_id);
  const at = run.findIndex(({ id }) => id === call.id);
  const inRun = run[at - 1];
  const inTurn = inRun ?? own.findLast((one) => one.agent_id === call.agent_id && one.id < call.id);
  const earlier = inTurn ? undefined : await lastOfEarlierTurns(here, call);
  return {
    number: at + 1,
    previous: inTurn ?? earlier?.call,
    previousNumber: inRun ? at : 0,
    previousTurn: earlier?.turn,
    next: run[at + 1],
  };
}

async function lastOfEarlierTurns(
  here: Here,
  call: Call,
): Promise<{ readonly call: CallSummary; readonly turn: number } | undefined> {
  const query = { before: call.turn_id, limit: TURNS_LOOKED_AT_MAX };
  const turns = await take(api.workspaces({ id: here.id }).turns.get({ query }));
  for (const turn of turns.toReversed()) {
    const calls = await take(api.turns({ id: turn.id }).calls.get());
    const found = calls.findLast(({ agent_id: agent }) => agent === call.agent_id);
    if (found) return { call: found, turn: turn.number };
  }
  return undefined;
}
