// The first two of the three locks, always checked in the same order; the third is a person (searches.ts).
// Lock 1 is the installation's switch. It is set at start, and can only be turned off while the service runs.

import type { EgressStore } from "./store.ts";

const SWITCH_OFF =
  "web search is off for this installation (lock 1 of 3); the operator enables it with egress and egress_key in the configuration";
export const SWITCHED_OFF = "web search was disabled (lock 1 of 3) and stays off until the service restarts";
const NO_GRANT = "this agent has no grant for web search (lock 2 of 3); an admin adds one on the blueprint";

export class Locks {
  readonly #store: EgressStore;
  readonly #switch: boolean;
  #killed = false;

  constructor(store: EgressStore, { egress }: { readonly egress: boolean }) {
    this.#store = store;
    this.#switch = egress;
  }

  /** Returns why lock 1 is closed; undefined when it is open. */
  switchProblem(): string | undefined {
    if (!this.#switch) return SWITCH_OFF;
    return this.#killed ? SWITCHED_OFF : undefined;
  }

  /** Returns why lock 1 or 2 is closed, checked in this order; undefined when both are open. */
  problem(agentId: number): string | undefined {
    return this.switchProblem() ?? (this.#store.grantOfAgent.get(agentId) ? undefined : NO_GRANT);
  }

  /** Closes lock 1 until the next start. */
  kill(): void {
    this.#killed = true;
  }
}
