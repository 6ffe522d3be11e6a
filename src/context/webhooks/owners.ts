// A webhook receives the events that its owner may see when they are sent. The operator of the machine sees everything.

import { maySee } from "../events/visibility.ts";
import type { EventEnvelope } from "../events/schema.ts";
import type { Authentication } from "../people/authentication.ts";
import type { HookRow } from "./store.ts";

export class HookOwners {
  readonly #authentication: Pick<Authentication, "rightsNamed" | "sinceNamed" | "stateNamed">;

  constructor(authentication: Pick<Authentication, "rightsNamed" | "sinceNamed" | "stateNamed">) {
    this.#authentication = authentication;
  }

  maySee(hook: HookRow, event: EventEnvelope): boolean {
    if (hook.by_operator === 1) return true;
    const rights = this.#authentication.rightsNamed(hook.created_by, hook.created_at);
    return rights !== undefined && maySee(rights, event);
  }

  /** Returns the time of a new hook: not before its owner, whatever the clock says. */
  timeOfNew(owner: string, now: number): number {
    return Math.max(now, this.#authentication.sinceNamed(owner));
  }

  /** Returns why the hook receives nothing; null: its owner is active. */
  problemOf(hook: HookRow): string | null {
    if (hook.by_operator === 1) return null;
    const state = this.#authentication.stateNamed(hook.created_by, hook.created_at);
    if (state === "active") return null;
    return `its owner ${hook.created_by} ${state === "disabled" ? "is disabled" : "was deleted"}, so nothing is sent`;
  }
}
