// What the parts of the turn engine share: a turn while it runs, how a run of an agent ends, and why it was stopped.

import type { Caller } from "../people/caller.ts";
import type { OpenCall, Run } from "./recorder.ts";

/** Why a turn's signal was aborted: a person stopped it, or the service is stopping. */
export class TurnStopped extends Error {
  readonly how: "cancelled" | "interrupted";

  constructor(how: "cancelled" | "interrupted") {
    super(how);
    this.how = how;
  }
}

export interface TurnContext {
  readonly caller: Caller;
  /** `from>to`, as the turn began and added to as it goes on: a wire that this turn has seen counts to its end, deleted or not. */
  readonly wires: Set<string>;
  readonly signal: AbortSignal;
  /** What is being said in model calls that are open now, by run. */
  readonly speaking: Map<number, { run: Run; call: OpenCall }>;
  /** How many tool calls wait for a person now, by run; without those that have none. */
  readonly waiting: Map<number, number>;
  /** The turn has read untrusted text: tools that write durably are not offered any more. */
  tainted: boolean;
}

export type RunOutcome =
  | { readonly status: "done"; readonly text: string }
  | { readonly status: "failed"; readonly error: string }
  | { readonly status: "cancelled" | "interrupted" };

export function stopReason(signal: AbortSignal): "cancelled" | "interrupted" | undefined {
  if (!signal.aborted) return undefined;
  return signal.reason instanceof TurnStopped ? signal.reason.how : "interrupted";
}
