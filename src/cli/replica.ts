// Shared by the sync commands: the folder they act on, and the client of its server, which always acts as the user of the folder.

import type { ArgsDef } from "citty";
import { Client, networkTransport } from "../context/client/client.ts";
import { SYNC_ANSWER_MS } from "../context/client/answer-timeout.ts";
import type { Origin, ReplicaState } from "../context/replica/state.ts";
import { systemClock } from "../kit/clock.ts";
import { processEnvironment } from "../kit/environment.ts";
import { AppError, type ErrorCode } from "../kit/error.ts";
import { subject } from "../kit/terminal/arguments.ts";
import { noCredential } from "../kit/http/bearer.ts";
import { nameKey } from "../kit/text/names.ts";
import { inWordsOfFlags, loginCommand, tokenIn } from "./connection.ts";
import { savedToken, variableTokenOfFolder } from "./credentials.ts";
import { patiently } from "./retrying-client.ts";

/** A command that starts the daemon waits this long for the server, which may be away. */
const PROOF_WAIT_MS = 5_000;
/** Errors that a daemon waits out. */
const LATER: readonly ErrorCode[] = ["unavailable", "rate_limited"];

/** Flags of commands about a folder that syncs with a server. */
export const replicaArgs = {
  dir: subject({
    type: "string",
    valueHint: "dir",
    description: "Folder that syncs (default: $SERVICE_DIR, the space around you, ~/.cairn/space)",
  }),
} as const satisfies ArgsDef;

export const tokenFileArg = {
  "token-file": {
    type: "string",
    valueHint: "file",
    description: "File with an access token of the folder's user (default: their saved token)",
  },
} as const satisfies ArgsDef;

/** Opens a connection to the server of a folder. Raises `unauthenticated` if there is no token of the folder's user. */
type Connect = (signal?: AbortSignal) => Promise<Client>;

/**
 * Reads the token for each connection, because the daemon outlives it, and asks the server whose it is if it is not the one before. `wrap`: what
 * all requests of the client go through.
 */
export function connectAsUserOf(
  origin: Origin,
  tokenFile: string | undefined,
  wrap: (client: Client) => Client = (client) => client,
): Connect {
  let proven: string | undefined;
  return async (signal) => {
    const { token, remedy } = tokenFor(origin, tokenFile);
    if (token === undefined) throw inWordsOfFlags(noCredential(), origin.server, { user: origin.user });
    const client = wrap(new Client(networkTransport(origin.server, token)));
    if (token === proven) return client;
    try {
      await requireUser(client, { origin, remedy, signal });
    } catch (error) {
      await client.close();
      throw error;
    }
    proven = token;
    return client;
  };
}

interface FolderToken {
  readonly token: string | undefined;
  /** The step besides signing in if it is another user's token; empty: none. */
  readonly remedy: string;
}

function tokenFor({ server, user }: Origin, tokenFile: string | undefined): FolderToken {
  const environment = processEnvironment();
  if (tokenFile !== undefined) return { token: tokenIn(tokenFile), remedy: " and leave out --token-file" };
  const token = variableTokenOfFolder(server, environment);
  if (token !== undefined) return { token, remedy: " and unset SERVICE_TOKEN" };
  return { token: savedToken(server, environment, user), remedy: "" };
}

interface Proof {
  readonly origin: Origin;
  readonly remedy: string;
  readonly signal: AbortSignal | undefined;
}

async function requireUser(client: Client, { origin, remedy, signal }: Proof): Promise<void> {
  const { server, user } = origin;
  const terms = { answerMs: SYNC_ANSWER_MS, ...(signal && { signal }) };
  const me = await client.json<{ name: string }>("GET", "/auth/whoami", terms);
  if (nameKey(me.name) === nameKey(user)) return;
  throw new AppError(
    "unauthenticated",
    `the token belongs to ${me.name}, but the folder syncs as ${user}; run ${loginCommand(server, user)}${remedy}`,
    { credential: "other_user", user: me.name, expected: user },
  );
}

/** Raises what a person has to mend before a daemon can sync. A server that does not answer is no reason: the daemon waits for it. */
export async function requireFolderToken(origin: Origin, tokenFile: string | undefined): Promise<void> {
  try {
    const client = await connectAsUserOf(origin, tokenFile)(AbortSignal.timeout(PROOF_WAIT_MS));
    await client.close();
  } catch (error) {
    if (!(error instanceof AppError) || !LATER.includes(error.code))
      throw inWordsOfFlags(error, origin.server, { user: origin.user });
  }
}

async function isSpaceGone(client: Client, space: string, error: unknown): Promise<boolean> {
  if (!isNotFound(error)) return false;
  return client.get(`/spaces/${encodeURIComponent(space)}`).then(() => false, isNotFound);
}

const isNotFound = (error: unknown) => error instanceof AppError && error.code === "not_found";

function spaceGone({ server, space, user }: Origin, directory: string): AppError {
  return new AppError(
    "not_found",
    `${server} has no space ${space} that ${user} may see: it was deleted, or the access ended; ask an admin of the server; the files in ${directory} stay as they are`,
  );
}

/** Opens the state of the folder and a client of its server, and closes both after `work`. */
export async function withReplica<T>(
  directory: string,
  tokenFile: string | undefined,
  work: (state: ReplicaState, client: Client) => Promise<T>,
): Promise<T> {
  const { openReplicaState } = await import("../context/replica/state.ts");
  using state = await openReplicaState(directory, { clock: systemClock });
  const origin = state.origin!;
  let client: Client | undefined;
  try {
    client = await connectAsUserOf(origin, tokenFile, patiently)();
    return await work(state, client);
  } catch (error) {
    if (client && (await isSpaceGone(client, origin.space, error))) throw spaceGone(origin, directory);
    throw inWordsOfFlags(error, origin.server, { user: origin.user });
  } finally {
    await client?.close();
  }
}
