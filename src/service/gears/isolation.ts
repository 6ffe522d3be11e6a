// What people are told about the isolation of gears, in the same words wherever gears are shown, run or approved.

import { SANDBOX_MEMORY_MB, SANDBOX_PROCESSES } from "../sandbox/sandbox.ts";

/** The sandbox, as far as showing gears needs it. */
export interface Isolation {
  readonly isolated: boolean;
}

const ISOLATED = `Gears run isolated on this server: in a throwaway container without network, with ${SANDBOX_MEMORY_MB} MB of memory, one processor and ${SANDBOX_PROCESSES} processes.`;

const NOT_ISOLATED =
  "Gears are NOT isolated on this server: this program runs with the server's own access to files, the database, the stored provider keys, the network and this API. The approval is the only control.";

export const NOT_ISOLATED_NOTICE = "This run was not isolated: the program had the server's own access.";

export function isolationSentence(isolation: Isolation): string {
  return isolation.isolated ? ISOLATED : NOT_ISOLATED;
}
