// Parses a point in the history of a space from a request: a head or a time.

import { timeOf } from "../../kit/clock.ts";
import { AppError } from "../../kit/error.ts";
import type { OpenSpace } from "../spaces/open-space.ts";
import { headText, parseHead } from "../versioned-store/head.ts";

/** Accepts a head of this space or a time. Raises `invalid`, `epoch_changed`. */
export function momentOf(text: string, { engine }: OpenSpace): { seq: number } | { time: number } {
  if (/^[0-9a-f]{12}\./.test(text)) {
    const head = parseHead("at", text);
    const now = engine.head();
    if (head.epoch !== now.epoch)
      throw new AppError("epoch_changed", "at: the space was restored from a backup since then", {
        head: headText(now),
      });
    return { seq: head.seq };
  }
  const time = timeOf(text);
  if (time === undefined) {
    const problem = "expected a head (<epoch>.<seq>) or a time (RFC 3339)";
    throw new AppError("invalid", `at: ${problem}`, { field: "at", problem });
  }
  return { time };
}
