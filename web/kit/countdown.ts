// Clocks in steps of a second: the time, and the time left until a moment.

import { type Accessor, createEffect, createSignal, onCleanup } from "solid-js";

const SECOND_MS = 1_000;

/** The time, updated every second while `wanted`. */
export function createSeconds(wanted: Accessor<boolean>): Accessor<number> {
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => wanted() && setNow(Date.now()), SECOND_MS);
  onCleanup(() => clearInterval(timer));
  return now;
}

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
