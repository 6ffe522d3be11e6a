// Connects a server to the leader of its nodes: each change of a database or of the audit file goes into the log, and nothing leaves the server
// before that.

import { answerError } from "../../kit/http/answer.ts";
import type { Handle } from "../../kit/http/serve.ts";
import type { Log } from "../../kit/log.ts";
import type { Histogram } from "../../kit/metrics/histogram.ts";
import type { Measured, Reading } from "../../kit/metrics/metrics.ts";
import type { Leader } from "../../kit/replication/leader.ts";
import type { PageSink } from "../../kit/storage/changed-pages.ts";
import type { SpaceCopying } from "../spaces/copying.ts";
import type { EngineKind } from "../versioned-store/engine.ts";
import { AUDIT_FILE, placeOf, SERVER_DATABASE, SPACES, spaceFolder } from "./copied-files.ts";
import { leaderReadings } from "./readings.ts";
import { treeAt } from "./trees.ts";

const HEALTH = ["/health", "/api/v1/health"];

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
      pages: (name) => leader.pages(placeOf(directory, engine.databaseOf(spaceFolder(directory, name)))),
      treeAt: (name) => treeAt(directory, name),
      removed: (name) => leader.removed(`${SPACES}/${name}`),
    },
    appended: (at, lines) => leader.append(AUDIT_FILE, at, lines),
    settled: () => leader.settled(),
    stored: () => leader.stored(),
    requireLead: () => leader.requireLead(),
    readings: leaderReadings(leader),
    measured: [
      {
        name: "service_replication_append_seconds",
        help: "Duration of an append to the replication log, which answers wait for",
        histogram: appends,
      },
    ],
  };
}

/**
 * An answer may show any change made so far, so it waits until the log has them all. The state of health and the metrics are of this node only. A node
 * that may have been replaced is not well, so that a proxy asks another one.
 */
export function settledFirst(handle: Handle, { settled, requireLead }: Copying, log: Log): Handle {
  return async (request, exchange) => {
    try {
      if (exchange.path === "/metrics") return await handle(request, exchange);
      // Also before it changes anything, because nobody would have the change.
      requireLead();
      const answer = await handle(request, exchange);
      if (!HEALTH.includes(exchange.path)) await settled();
      return answer;
    } catch (error) {
      return answerError(exchange.id, error, log);
    }
  };
}
