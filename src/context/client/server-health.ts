// The health of a server, as its open route tells everybody.

import { boundedBody } from "../../kit/network/bounded-body.ts";
import type { HealthProblem } from "../../kit/health.ts";

/** The check itself takes milliseconds. */
const WAIT_MS = 5_000;
const ANSWER_BYTES_MAX = 1024 * 1024;

/** The status of a node that does not lead. */
export const STANDBY = "standby";
/** The status of a server that does not serve yet. */
export const STARTING = "starting";

export interface ServerHealth {
  /** `ok`, `degraded`, `standby`, `starting`, or the HTTP status of an answer that is not of a context server. */
  readonly status: string;
  readonly problems: readonly HealthProblem[];
}

/** A node on standby tells this to the owner of its data, on its machine. */
export interface StandbyFacts {
  /** The name of the node that leads; null: none is known. */
  readonly leader: string | null;
  /** The last entry of the replication log in the files of the node; null: it copies all data. */
  readonly entry: number | null;
  /** The last entry that the leader was seen to write. */
  readonly leader_entry: number | null;
  /** Since the last heartbeat of the leader. */
  readonly silent_seconds: number;
  /** Why it cannot follow at the moment. */
  readonly problem: string | null;
}

/** Undefined: it does not answer within a few seconds. */
export async function healthOf(url: string): Promise<ServerHealth | undefined> {
  return askHealth(url).catch(() => undefined);
}

/** Raises errors of the network, and of an answer that is not JSON. */
export async function askHealth(url: string): Promise<ServerHealth> {
  const response = await fetch(`${url.replace(/\/+$/, "")}/health`, {
    redirect: "manual",
    signal: AbortSignal.timeout(WAIT_MS),
  });
  const body = await boundedBody(response, ANSWER_BYTES_MAX);
  try {
    const text = new TextDecoder().decode(body);
    const { status, problems = [] } = JSON.parse(text) as Partial<ServerHealth>;
    if (status !== undefined) return { status, problems };
  } catch {
    // A page of a proxy or of another program.
  }
  return { status: `status ${response.status}`, problems: [] };
}
