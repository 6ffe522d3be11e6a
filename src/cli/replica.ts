// Shared by the sync commands: the folder they act on, and the client of its server.

import type { ArgsDef } from "citty";
import { Client, networkTransport } from "../context/client/client.ts";
import type { ReplicaState } from "../context/replica/state.ts";
import {
  enclosingSpaceDirectory,
  namedSpaceDirectory,
  ownSpaceDirectory,
} from "../context/space/directory.ts";
import { systemClock } from "../kit/clock.ts";
import { processEnvironment } from "../kit/environment.ts";
import { storedToken } from "./credentials.ts";
import { inWordsOfFlags, tokenIn } from "./connection.ts";

/** Flags of commands about a folder that syncs with a server. */
export const replicaArgs = {
  dir: {
    type: "string",
    valueHint: "dir",
    description: "Folder that syncs (default: $SERVICE_DIR, the space around you, ~/.cairn/space)",
  },
} as const satisfies ArgsDef;

export const tokenFileArg = {
  "token-file": {
    type: "string",
    valueHint: "file",
    description: "File with the access token (default: the token of the last sign-in)",
  },
} as const satisfies ArgsDef;

export function replicaDirectory(flag: string | undefined): string {
  const environment = processEnvironment();
  return (
    namedSpaceDirectory(flag, environment) ?? enclosingSpaceDirectory() ?? ownSpaceDirectory(environment)
  );
}

/** Reads the token at each call, because the daemon outlives it. */
export function clientOf(server: string, tokenFile: string | undefined): Client {
  const token = tokenFile === undefined ? storedToken(server, processEnvironment()) : tokenIn(tokenFile);
  return new Client(networkTransport(server, token));
}

/** Opens the state of the folder and a client of its server, and closes both after `work`. */
export async function withReplica<T>(
  directory: string,
  tokenFile: string | undefined,
  work: (state: ReplicaState, client: Client) => Promise<T>,
): Promise<T> {
  const { openReplicaState } = await import("../context/replica/state.ts");
  const state = await openReplicaState(directory, { clock: systemClock });
  const { server } = state.origin!;
  const client = clientOf(server, tokenFile);
  try {
    return await work(state, client);
  } catch (error) {
    throw inWordsOfFlags(error, server);
  } finally {
    state.close();
    await client.close();
  }
}
