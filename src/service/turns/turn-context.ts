// Types shared by the parts of the turn engine: a running turn, the outcome of an agent's run, and the reason of a stop.

import type { AssemblyInput } from "../conversation/assembly.ts";
import type { Caller } from "../identity/caller.ts";
import type { Truncation } from "../conversation/schema.ts";
import type { PlacedThought } from "../llm/thoughts.ts";
import type { OpenCall, Run } from "./recorder.ts";

/** The reason of an aborted turn: a person cancelled it, or the service is stopping. */
export class TurnStopped extends Error {
  readonly how: "cancelled" | "interrupted";
  /** The cause, shown as the turn's error; null when a person simply cancelled it. */
  readonly reason: string | null;

  constructor(how: "cancelled" | "interrupted", reason: string | null = null) {
    super(how);
    this.how = how;
    this.reason = reason;
  }
}

export interface TurnContext {
  /** The person for whom the turn acts, with their current rights. */
  readonly caller: Caller;
  /** Stops the turn if its person has lost the right to continue it. Called before each model round and each tool call. */
  readonly check: () => void;
  /** The same check inside a write: raises `forbidden`, which rolls it back. */
  readonly require: () => void;
  /** Wires as `from>to`: those at the start of the turn and those added since. A deleted wire stays valid until the turn ends. */
  readonly wires: Set<string>;
  readonly signal: AbortSignal;
  /** Open model calls with their text so far, by run. */
  readonly speaking: Map<number, { run: Run; call: OpenCall }>;
  /** Number of tool calls that wait for a person, by run; runs without any are absent. */
  readonly waiting: Map<number, number>;
  /** The documents in front of each agent, read once in the turn. By agent. */
  readonly documents: Map<number, Promise<Documents>>;
  /** The thoughts of answers whose tools run in this turn, by entry. Lost in a restart, after which providers continue without them. */
  readonly thoughts: Map<number, Thoughts>;
}

interface Thoughts {
  /** No other model can read them. */
  readonly modelId: number;
  readonly placed: readonly PlacedThought[];
}

export interface Documents {
  readonly parts: NonNullable<AssemblyInput["context"]>;
  /** The state of the space that they were read from; undefined: there is none. */
  readonly read?: { readonly space: string; readonly head: string };
}

export type RunOutcome =
  | { readonly status: "done"; readonly text: string; readonly truncated: Truncation | null }
  | { readonly status: "failed"; readonly error: string }
  | { readonly status: "cancelled" | "interrupted" };

export function stopReason(signal: AbortSignal): "cancelled" | "interrupted" | undefined {
  if (!signal.aborted) return undefined;
  return signal.reason instanceof TurnStopped ? signal.reason.how : "interrupted";
}

/** Returns the cause of a stop; null when the turn was not stopped, or a person simply cancelled it. */
export function stopCause(signal: AbortSignal): string | null {
  return signal.aborted && signal.reason instanceof TurnStopped ? signal.reason.reason : null;
}
