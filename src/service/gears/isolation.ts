// The sentences about the isolation of gears, the same wherever gears are shown, run or approved.

import {
  type MissingImage,
  SANDBOX_MEMORY_MB,
  SANDBOX_PROCESSES,
  type SandboxLimit,
} from "../sandbox/sandbox.ts";
import type { GearIsolation } from "./schema.ts";
import type { GearRow } from "./store.ts";

/** The part of the sandbox that showing gears needs. */
export interface Isolation {
  readonly isolated: boolean;
  /** Limits that the container daemon does not apply. */
  readonly unenforced: readonly SandboxLimit[];
  /** Resolves when `isolated` is final. */
  decided(): Promise<void>;
}

/** The part of the sandbox that explaining isolation needs. */
export interface IsolationDetail extends Isolation {
  missingImages(): Promise<readonly MissingImage[]>;
}

/** Reports whether a gear was approved under isolation that is not available. It does not run until an admin approves it again. */
export function isIsolationLost(
  row: Pick<GearRow, "approved_isolated">,
  { isolated }: Pick<Isolation, "isolated">,
): boolean {
  return row.approved_isolated === 1 && !isolated;
}

const LIMITS: Readonly<Record<SandboxLimit, string>> = {
  memory: `${SANDBOX_MEMORY_MB} MB of memory`,
  processors: "one processor",
  processes: `${SANDBOX_PROCESSES} processes`,
};
const IN_A_CONTAINER = "Gears run isolated on this server: in a throwaway container without network";

const NOT_ISOLATED =
  "Gears are NOT isolated on this server: a gear runs with the server's own access to files, the database, the stored provider keys, the network and this API. The approval is the only control.";

export const ISOLATION_LOST =
  "It was approved to run isolated, but gears are not isolated on this server now. It does not run until the container runtime is back and the service has restarted, or until an admin approves it again, without isolation.";

export const NOT_ISOLATED_NOTICE = "This run was not isolated: the program had the server's own access.";

export function isolationSentence({
  isolated,
  unenforced,
}: Pick<Isolation, "isolated" | "unenforced">): string {
  if (!isolated) return NOT_ISOLATED;
  const applied = (Object.keys(LIMITS) as SandboxLimit[]).filter((limit) => !unenforced.includes(limit));
  const within = applied.length > 0 ? `, with ${listed(applied.map((limit) => LIMITS[limit]))}` : "";
  const without =
    unenforced.length > 0 ? ` The container daemon does not limit their ${listed(unenforced)}.` : "";
  return `${IN_A_CONTAINER}${within}.${without}`;
}

/** `a, b and c` */
function listed(words: readonly string[]): string {
  return [words.slice(0, -1).join(", "), ...words.slice(-1)].filter((part) => part !== "").join(" and ");
}

/** The state of isolation on this server, for any signed-in person. */
export async function isolationOf(isolation: IsolationDetail): Promise<GearIsolation> {
  await isolation.decided();
  const missing = await isolation.missingImages();
  return {
    isolated: isolation.isolated,
    text: isolationSentence(isolation),
    missing: missing.map(({ runtimes, ...rest }) => ({ ...rest, runtimes: [...runtimes] })),
  };
}
