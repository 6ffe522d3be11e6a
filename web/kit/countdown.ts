// Counts down to a moment, in steps of a second.

import { type Accessor, createEffect, createSignal, onCleanup } from "solid-js";

const SECOND_MS = 1_000;

/** Milliseconds left until a time, as text or in milliseconds, updated every second; 0 once it is past, and while there is none. */
export function createCountdown(until: () => string | number | undefined): Accessor<number> {
  const [now, setNow] = createSignal(Date.now());
  createEffect(() => {
    if (until() === undefined) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    onCleanup(() => clearInterval(timer));
  });
  return () => {
    const end = until();
    if (end === undefined) return 0;
    return Math.max(0, (typeof end === "string" ? Date.parse(end) : end) - now());
  };
}

/** `in 2 s`, and `now` once it is over. */
export function timeUntil(until: number, now: number): string {
  const seconds = Math.ceil((until - now) / SECOND_MS);
  return seconds > 0 ? `in ${seconds} s` : "now";
}
