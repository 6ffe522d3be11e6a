// Clocks in steps of a second: the time, and the time left until a moment.

import { type Accessor, createEffect, createSignal, onCleanup } from "solid-js";
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
  const [now, setNow] = createSignal(read());
  createEffect(() => {
    if (until() === undefined) return;
    setNow(read());
    const timer = setInterval(() => setNow(read()), SECOND_MS);
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
