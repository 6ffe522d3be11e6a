// What the parts of the turn engine share: a turn while it runs, how a run of an agent ends, and why it was stopped.

import type { Caller } from "../identity/caller.ts";
import type { Truncation } from "../conversation/schema.ts";
import type { OpenCall, Run } from "./recorder.ts";

/** Why a turn's signal was aborted: a person stopped it, or the service is stopping. */
export class TurnStopped extends Error {
  readonly how: "cancelled" | "interrupted";
  /** Why, beyond that somebody wished it: shown as the turn's error. */
  readonly reason: string | null;

  constructor(how: "cancelled" | "interrupted", reason: string | null = null) {
    super(how);
    this.how = how;
    this.reason = reason;
  }
}

export interface TurnContext {
  /** Who it acts for, with the rights of now. */
  readonly caller: Caller;
  /** Stops the turn when its person may not go on with it. Asked before each model round and each tool call. */
  readonly check: () => void;
  /** The same inside a write: raises `forbidden`, which undoes it. */
  readonly require: () => void;
  /** `from>to`, as the turn began and added to as it goes on: a wire that this turn has seen counts to its end, deleted or not. */
  readonly wires: Set<string>;
  readonly signal: AbortSignal;
  /** What is being said in model calls that are open now, by run. */
  readonly speaking: Map<number, { run: Run; call: OpenCall }>;
  /** How many tool calls wait for a person now, by run; without those that have none. */
  readonly waiting: Map<number, number>;
}

export type RunOutcome =
  | { readonly status: "done"; readonly text: string; readonly truncated: Truncation | null }
  | { readonly status: "failed"; readonly error: string }
  | { readonly status: "cancelled" | "interrupted" };

export function stopReason(signal: AbortSignal): "cancelled" | "interrupted" | undefined {
  if (!signal.aborted) return undefined;
  return signal.reason instanceof TurnStopped ? signal.reason.how : "interrupted";
}

/** Null when it was not stopped, or for no other reason than that somebody wished it. */
export function stopCause(signal: AbortSignal): string | null {
  return signal.aborted && signal.reason instanceof TurnStopped ? signal.reason.reason : null;
}
