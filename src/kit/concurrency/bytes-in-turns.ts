// Work on many bytes without blocking other work.

import { Stretch, turnOfOthers } from "../clock.ts";

/** A step takes less than a millisecond. */
const STEP_BYTES = 1024 * 1024;

/** Joins pieces, which must not change meanwhile. */
export async function joinedInTurns(pieces: readonly Uint8Array[]): Promise<Buffer> {
  const joined = Buffer.allocUnsafe(pieces.reduce((sum, { length }) => sum + length, 0));
  const stretch = new Stretch();
  let at = 0;
  for (const step of pieces.flatMap(stepsOf)) {
    joined.set(step, at);
    at += step.length;
    if (stretch.isOver()) await turnOfOthers();
  }
  return joined;
}

/** SHA-256 as lower-case hex, of bytes that must not change meanwhile. */
export async function sha256InTurns(bytes: Uint8Array): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  const stretch = new Stretch();
  for (const step of stepsOf(bytes)) {
    hasher.update(step);
    if (stretch.isOver()) await turnOfOthers();
  }
  return hasher.digest("hex");
}

function stepsOf(bytes: Uint8Array): Uint8Array[] {
  if (bytes.length <= STEP_BYTES) return [bytes];
  return Array.from({ length: Math.ceil(bytes.length / STEP_BYTES) }, (_, index) =>
    bytes.subarray(index * STEP_BYTES, (index + 1) * STEP_BYTES),
  );
}
