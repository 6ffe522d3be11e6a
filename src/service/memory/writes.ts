// The writes of agents, by tool call: leads from a chip in the chat to the version, and from a version to its turn.

import type { Db } from "../../kit/storage/db.ts";
import { messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { Caller } from "../identity/caller.ts";
import type { Journal } from "../journal/journal.ts";
import type { ToolScope } from "../tools/tool.ts";
import type { Access } from "../workspaces/access.ts";
import type { ContextEvents } from "./events.ts";
import { MEMORY_WRITES_PER_TURN_MAX, type MemoryWrite } from "./schema.ts";
import type { MemoryStore } from "./store.ts";

interface WritesDeps {
  readonly db: Db;
  readonly store: MemoryStore;
  readonly access: Access;
  readonly journal: Journal<ContextEvents>;
  readonly log: Log;
}

export class MemoryWrites {
  readonly #deps: WritesDeps;

  constructor(deps: WritesDeps) {
    this.#deps = deps;
  }

  /** After the space has the version. Never raises: the version stands, also without this record. */
  async record(
    { workspaceId, turnId, agentId }: ToolScope,
    written: Pick<MemoryWrite, "call_id" | "path" | "version" | "replaced">,
  ): Promise<void> {
    const { db, store, journal, log } = this.#deps;
    const write = { ...written, turn_id: turnId, agent_id: agentId };
    try {
      await db.write(() => {
        store.insertWrite.run({ ...write, workspace_id: workspaceId });
        journal.append(workspaceId, turnId, "memory.written", { write });
      });
    } catch (error) {
      log.warn("cannot record which turn wrote to memory", { turn: turnId, error: messageOf(error) });
    }
  }

  /** Lists what the agents wrote in one turn, in the order of the writes. */
  ofTurn(caller: Caller, workspaceId: number, turnId: number): MemoryWrite[] {
    this.#deps.access.workspace(caller, workspaceId);
    return this.#deps.store.writesOfTurn.all(workspaceId, turnId, MEMORY_WRITES_PER_TURN_MAX);
  }

  /** By version: those of the given versions of a document that agents of the workspace wrote. */
  ofDocument(
    workspaceId: number,
    path: string,
    versions: readonly { readonly version: number }[],
  ): ReadonlyMap<number, MemoryWrite> {
    const [newest, oldest] = [versions[0]?.version ?? 0, versions.at(-1)?.version ?? 0];
    const found = this.#deps.store.writesOfDocument.all({
      workspace_id: workspaceId,
      path,
      first: oldest,
      last: newest,
    });
    return new Map(found.map((write) => [write.version, write]));
  }
}
