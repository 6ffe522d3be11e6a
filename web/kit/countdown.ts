// Clocks in steps of a second: the time, and the time left until a moment.

import { type Accessor, createEffect, createMemo, createSignal, onCleanup } from "solid-js";
import { serverNow } from "../api/server-clock.ts";

const SECOND_MS = 1_000;

/** The server's time, updated every second while `wanted`. */
export function createSeconds(wanted: Accessor<boolean>): Accessor<number> {
  const [now, setNow] = createSignal(serverNow());
  const timer = setInterval(() => wanted() && setNow(serverNow()), SECOND_MS);
  onCleanup(() => clearInterval(timer));
  return now;
}

/**
 * Milliseconds left until a time, updated every second; 0 once it is past, and while there is none. Text is a time of the server, a number one
 * of this browser.
 */
export function createCountdown(until: () => string | number | undefined): Accessor<number> {
  const read = () => (typeof until() === "string" ? serverNow() : Date.now());
  const [tick, setTick] = createSignal<undefined>(undefined, { equals: false });
  createEffect(() => {
    if (until() === undefined) return;
    const timer = setInterval(() => setTick(undefined), SECOND_MS);
    onCleanup(() => clearInterval(timer));
  });
  // It reads the clock itself: a time that was read before `until` changed may be as old as the page.
  return createMemo(() => {
    tick();
    const end = until();
    if (end === undefined) return 0;
    return Math.max(0, (typeof end === "string" ? Date.parse(end) : end) - read());
  });
}

/** `in 2 s`, and `now` once it is over. */
export function timeUntil(until: number, now: number): string {
  const seconds = Math.ceil((until - now) / SECOND_MS);
  return seconds > 0 ? `in ${seconds} s` : "now";
}
