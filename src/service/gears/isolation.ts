// The sentences about the isolation of gears, the same wherever gears are shown, run or approved.

import { type MissingImage, SANDBOX_MEMORY_MB, SANDBOX_PROCESSES } from "../sandbox/sandbox.ts";
import type { GearIsolation } from "./schema.ts";
import type { GearRow } from "./store.ts";

/** The part of the sandbox that showing gears needs. */
export interface Isolation {
  readonly isolated: boolean;
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

const ISOLATED = `Gears run isolated on this server: in a throwaway container without network, with ${SANDBOX_MEMORY_MB} MB of memory, one processor and ${SANDBOX_PROCESSES} processes.`;

const NOT_ISOLATED =
  "Gears are NOT isolated on this server: a gear runs with the server's own access to files, the database, the stored provider keys, the network and this API. The approval is the only control.";

export const ISOLATION_LOST =
  "It was approved to run isolated, but gears are not isolated on this server now. It does not run until the container runtime is back and the service has restarted, or until an admin approves it again, without isolation.";

export const NOT_ISOLATED_NOTICE = "This run was not isolated: the program had the server's own access.";

export function isolationSentence(isolation: Pick<Isolation, "isolated">): string {
  return isolation.isolated ? ISOLATED : NOT_ISOLATED;
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
