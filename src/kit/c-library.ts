// Calls of the C library that the runtime does not offer. Linux only.

import { dlopen, type FFIFunction, type Library } from "bun:ffi";

/** Of most systems, then of small ones. */
const LIBRARIES: readonly string[] = [
  "libc.so.6",
  `libc.musl-${process.arch === "x64" ? "x86_64" : "aarch64"}.so.1`,
];

/** Null: this system does not have all of the calls. */
export function systemCalls<Calls extends Record<string, FFIFunction>>(
  calls: Calls,
): Library<Calls>["symbols"] | null {
  if (process.platform !== "linux") return null;
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, calls).symbols;
    } catch {
      // Another library, or an old one.
    }
  }
  return null;
}
