// The states of webhooks and deliveries in words.

import type { VNode } from "preact";
import type { Delivery, HookState } from "../../webhooks/schema.ts";

const EVENTS_NAMED_MAX = 3;

export function HookBadge({ hook }: { hook: HookState }): VNode {
  if (!hook.enabled) return <span class="console-badge">Disabled</span>;
  if (hook.problem !== null) return <span class="console-badge">Blocked</span>;
  return <span class="console-badge plain">Enabled</span>;
}

export function eventsText(events: readonly string[]): string {
  if (events.includes("*")) return "all";
  const named = events.slice(0, EVENTS_NAMED_MAX).join(", ");
  return events.length > EVENTS_NAMED_MAX ? `${named} and ${events.length - EVENTS_NAMED_MAX} more` : named;
}

const STATES: Readonly<Record<Delivery["state"], string>> = {
  waiting: "Pending",
  sent: "Delivered",
  failed: "Failed",
};

export function DeliveryState({ delivery: { state } }: { delivery: Delivery }): VNode {
  return <span class={state === "sent" ? "console-badge plain" : "console-badge"}>{STATES[state]}</span>;
}
