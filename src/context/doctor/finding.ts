// What a check of `cairn doctor` found. Each check stands alone: one that can't be made says why, and the others are made all the same.

import { messageOf } from "../../kit/error.ts";

/** `skipped`: could not be looked at from here; `found` says why. */
export type State = "ok" | "warn" | "fail" | "skipped";

export interface Finding {
  readonly check: string;
  /** The space that it is about; null: the server. */
  readonly space: string | null;
  readonly state: State;
  readonly found: string;
  /** What to do, as exactly as it can be said; null when there is nothing to do. */
  readonly fix: string | null;
}

export type Verdict = Pick<Finding, "state" | "found" | "fix">;

export const ok = (found: string): Verdict => ({ state: "ok", found, fix: null });
export const skipped = (found: string): Verdict => ({ state: "skipped", found, fix: null });
export const warn = (found: string, fix: string): Verdict => ({ state: "warn", found, fix });
export const fail = (found: string, fix: string): Verdict => ({ state: "fail", found, fix });

/** Makes one check. Whatever it trips over is its own result. */
export async function made(
  check: string,
  space: string | null,
  look: () => Verdict | Promise<Verdict>,
): Promise<Finding> {
  try {
    return { check, space, ...(await look()) };
  } catch (error) {
    return { check, space, ...skipped(`could not be checked: ${messageOf(error)}`) };
  }
}

/** A path as a shell takes it. */
export function quoted(path: string): string {
  return /^[\w./:@%+,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
