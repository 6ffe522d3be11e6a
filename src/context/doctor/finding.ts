// The findings of `cairn doctor`. Checks are independent: one that cannot run says why, and the others still run.

import { problemAtPlace } from "../../kit/disk/disk.ts";

/** `skipped`: could not be checked from here; `found` says why. */
export type State = "ok" | "warn" | "fail" | "skipped";

export interface Finding {
  readonly check: string;
  /** The space it concerns; null: the server. */
  readonly space: string | null;
  readonly state: State;
  readonly found: string;
  /** The exact remedy; null when there is nothing to do. */
  readonly fix: string | null;
}

export type Verdict = Pick<Finding, "state" | "found" | "fix">;

export const ok = (found: string): Verdict => ({ state: "ok", found, fix: null });
export const skipped = (found: string): Verdict => ({ state: "skipped", found, fix: null });
export const warn = (found: string, fix: string): Verdict => ({ state: "warn", found, fix });
export const fail = (found: string, fix: string): Verdict => ({ state: "fail", found, fix });

/** Runs one check. An exception becomes a skipped finding. */
export async function made(
  check: string,
  space: string | null,
  look: () => Verdict | Promise<Verdict>,
): Promise<Finding> {
  try {
    return { check, space, ...(await look()) };
  } catch (error) {
    return { check, space, ...skipped(`could not be checked: ${problemAtPlace(error)}`) };
  }
}

/** Quotes a path for a shell. */
export function quoted(path: string): string {
  return /^[\w./:@%+,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
