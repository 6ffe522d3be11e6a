// Connects a server to the leader of its nodes: each change of a database or of the audit file goes into the log, and nothing leaves the server
// before that.

import { placeBelow } from "../../kit/disk/place-below.ts";
import { AppError } from "../../kit/error.ts";
import type { HealthProblem } from "../../kit/health.ts";
import { answerError } from "../../kit/http/answer.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import type { Handle } from "../../kit/http/serve.ts";
import type { Log } from "../../kit/log.ts";
import type { Histogram } from "../../kit/metrics/histogram.ts";
import type { Measured, Reading } from "../../kit/metrics/metrics.ts";
import type { Leader } from "../../kit/replication/leader.ts";
import type { PageSink } from "../../kit/storage/changed-pages.ts";
import { HEALTH_ROUTES, unreadyHealth, WHOAMI_ROUTE } from "../people/starting-door.ts";
import type { SpaceCopying } from "../spaces/copying.ts";
import type { EngineKind } from "../versioned-store/engine.ts";
import { AUDIT_FILE, SERVER_DATABASE, SPACES, spaceFolder } from "./copied-files.ts";
import { leaderReadings } from "./readings.ts";
import { treeAt } from "./trees.ts";

export interface Copying {
  readonly server: PageSink;
  readonly spaces: SpaceCopying;
  /** Lines were written into the audit file. */
  readonly appended: (at: number, lines: Uint8Array) => void;
  /** See `Leader.settled`. */
  readonly settled: () => Promise<void> | undefined;
  /** See `Leader.stored`. */
  readonly stored: () => Promise<void> | undefined;
  /** See `Leader.requireLead`. */
  readonly requireLead: () => void;
  readonly readings: readonly Reading[];
  readonly problems: () => readonly HealthProblem[];
  readonly measured: readonly Measured[];
}

interface CopyingDeps {
  readonly leader: Leader;
  /** The data directory. */
  readonly directory: string;
  readonly engine: EngineKind;
  /** How long the leader took to append, in seconds. */
  readonly appends: Histogram;
}

export function copyingBy({ leader, directory, engine, appends }: CopyingDeps): Copying {
  return {
    server: leader.pages(SERVER_DATABASE),
    spaces: {
      pages: (name) => leader.pages(placeBelow(directory, engine.databaseOf(spaceFolder(directory, name)))),
      treeAt: (name) => treeAt(directory, name),
      removed: (name) => leader.removed(`${SPACES}/${name}`),
    },
    appended: (at, lines) => leader.append(AUDIT_FILE, at, lines),
    settled: () => leader.settled(),
    stored: () => leader.stored(),
    requireLead: () => leader.requireLead(),
    readings: leaderReadings(leader),
    problems: () => problemsOf(leader),
    measured: [
      {
        name: "service_replication_append_seconds",
        help: "Duration of an append to the replication log, which answers wait for",
        histogram: appends,
      },
    ],
  };
}

function problemsOf({ lack, isSnapshotFailing }: Leader): HealthProblem[] {
  const found = [lack !== undefined && "replication", isSnapshotFailing && "snapshots"];
  return found.flatMap((what) => (what === false ? [] : [{ what, reason: "broken" }]));
}

interface Asked {
  readonly copying: Copying;
  /** Reports whether the request is from the owner of the data, on this machine. */
  readonly isOperator: (exchange: Exchange) => boolean;
  readonly log: Log;
}

/**
 * An answer may show any change made so far, so it waits until the log has them all. The state of health and the metrics are of this node only, and so
 * is its answer to the local door. A node that may have been replaced is not well, so that a proxy asks another one.
 */
export function settledFirst(handle: Handle, { copying, isOperator, log }: Asked): Handle {
  const { settled, requireLead } = copying;
  return async (request, exchange) => {
    const { path } = exchange;
    try {
      if (path === "/metrics" || (path === WHOAMI_ROUTE && isOperator(exchange)))
        return await handle(request, exchange);
      // Also before it changes anything, because nobody would have the change.
      requireLead();
      const answer = await handle(request, exchange);
      if (!HEALTH_ROUTES.includes(path)) await settled();
      return answer;
    } catch (error) {
      const reason = error instanceof AppError ? error.details?.["reason"] : undefined;
      if (HEALTH_ROUTES.includes(path) && typeof reason === "string") return unreadyHealth(exchange, reason);
      return answerError(exchange.id, error, log);
    }
  };
}
