// A backup of the space of a context server, as an operator makes one who copies its files.

import { cpSync, rmSync } from "node:fs";
import { openSqliteEngine } from "../../../src/context/versioned-store/sqlite/engine.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import type { ContextServer } from "./context-server.ts";
import { silent } from "../silent.ts";

/** Copies the space to `place`, in place of what is there. Returns what restores the server to this moment, with another history. */
export async function backUpSpace(server: ContextServer, place: string): Promise<() => Promise<void>> {
  await server.restart(() => copyTree(server.inSpace(), place));
  return () =>
    server.restart(async () => {
      copyTree(place, server.inSpace());
      const engine = openSqliteEngine({ directory: server.inSpace(), clock: systemClock, log: silent });
      engine.newEpoch();
      await engine.close();
    });
}

function copyTree(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
}
