// Connects a server to the leader of its nodes: each change of a database or of the audit file goes into the log, and nothing leaves the server
// before that.

import { answerError } from "../../kit/http/answer.ts";
import type { Handle } from "../../kit/http/serve.ts";
import type { Log } from "../../kit/log.ts";
import type { Leader } from "../../kit/replication/leader.ts";
import type { PageSink } from "../../kit/storage/changed-pages.ts";
import type { SpaceCopying } from "../spaces/copying.ts";
import type { EngineKind } from "../versioned-store/engine.ts";
import { AUDIT_FILE, placeOf, SERVER_DATABASE, SPACES, spaceFolder } from "./copied-files.ts";
import { treeAt } from "./trees.ts";

export interface Copying {
  readonly server: PageSink;
  readonly spaces: SpaceCopying;
  /** Lines were written into the audit file. */
  readonly appended: (at: number, lines: Uint8Array) => void;
  /** See `Leader.settled`. */
  readonly settled: () => Promise<void> | undefined;
}

export function copyingBy(leader: Leader, directory: string, engine: EngineKind): Copying {
  return {
    server: leader.pages(SERVER_DATABASE),
    spaces: {
      pages: (name) => leader.pages(placeOf(directory, engine.databaseOf(spaceFolder(directory, name)))),
      treeAt: (name) => treeAt(directory, name),
      removed: (name) => leader.removed(`${SPACES}/${name}`),
    },
    appended: (at, lines) => leader.append(AUDIT_FILE, at, lines),
    settled: () => leader.settled(),
  };
}

/** An answer may show any change made so far, so it waits until the log has them all. The check of health tells the state of this node only. */
export function settledFirst(handle: Handle, { settled }: Copying, log: Log): Handle {
  return async (request, exchange) => {
    try {
      const answer = await handle(request, exchange);
      if (!exchange.path.endsWith("/health") && exchange.path !== "/metrics") await settled();
      return answer;
    } catch (error) {
      return answerError(exchange.id, error, log);
    }
  };
}
