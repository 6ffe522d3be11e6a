// The addresses that `cairn ui` may listen on: this machine, and nothing that another machine reaches.

import { AppError } from "../../kit/error.ts";

const LOOPBACK = ["127.0.0.1", "::1"] as const;
export type LoopbackAddress = (typeof LOOPBACK)[number];

/** Raises `invalid` for every other address, also for other names of this machine. */
export function loopbackAddress(text: string): LoopbackAddress {
  const found = LOOPBACK.find((address) => address === text);
  if (found !== undefined) return found;
  throw new AppError(
    "invalid",
    `cannot listen on ${text}: cairn ui serves this machine only; use 127.0.0.1 or ::1, or share the space with a context server`,
  );
}

/** As in an address, and in the Host header of a browser. */
export function hostOf(address: LoopbackAddress, port: number): string {
  return `${address === "::1" ? "[::1]" : address}:${port}`;
}
