// Joins a server's space: makes the folder a copy of it. An interrupted join is continued by calling it again, or by the next sync.

import { systemClock, type Clock } from "../../kit/clock.ts";
import { commandText } from "../../kit/terminal/command-text.ts";
import { AppError } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { nameKey } from "../../kit/text/names.ts";
import type { Client } from "../client/client.ts";
import { holdsFinishedSpace } from "../space/directory.ts";
import { createLocalSpace } from "../space/local.ts";
import { runCycle, type Progress } from "./cycle.ts";
import { LocalCopy, SILENT } from "./local-copy.ts";
import type { SyncReport } from "./report.ts";
import { ServerSpace } from "./server-space.ts";
import { openReplicaState, type Origin, type ReplicaState } from "./state.ts";

interface JoinOptions {
  /** Of a person who may read the space. Stays open. */
  readonly client: Client;
  /** Name of the server's space. */
  readonly space: string;
  /** Absolute. May exist: files and a local space in it stay, and are sent by the next sync. */
  readonly directory: string;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly clock?: Clock;
  readonly log?: Log;
}

interface Joined {
  /** Files that came from the server. */
  readonly files: number;
  /** Their bytes. */
  readonly bytes: number;
  /** The server's head. */
  readonly head: string;
  /** The whole report: conflicts with files that were in the folder, and refused ones. */
  readonly report: SyncReport;
}

/** Raises `conflict` if the folder syncs with another space or as another user, `not_found` for an unknown space, and what the network and the disk raise. */
export async function joinSpace({
  client,
  space,
  directory,
  onProgress,
  clock = systemClock,
  log = SILENT,
}: JoinOptions): Promise<Joined> {
  // Before anything is written: the credential and the space.
  const { name: user } = await client.get<{ name: string }>("/auth/whoami");
  await client.get(`/spaces/${encodeURIComponent(space)}`);
  if (!holdsFinishedSpace(directory)) {
    const made = await createLocalSpace(
      { directory, name: space, template: "blank" },
      { clock, log, person: user },
    );
    await made.close();
  }
  using state = await openReplicaState(directory, { clock, create: true });
  const local = new LocalCopy(directory, { clock, log });
  const server = new ServerSpace(client, space);
  await claim(state, server, { server: client.name, space, user }, directory);
  await using _open = await local.hold();
  let bytes = 0;
  const report = await runCycle(
    { state, server, local, clock },
    {
      direction: "pull",
      onProgress: (progress) => {
        bytes = progress.bytes;
        onProgress?.(progress);
      },
    },
  );
  return { files: report.pulled.length, bytes, head: report.head, report };
}

/** Records the origin of the copy. The server of a copy may get another address, but not another history. */
async function claim(
  state: ReplicaState,
  server: ServerSpace,
  wanted: Origin,
  directory: string,
): Promise<void> {
  const { origin, head } = state;
  if (!origin) return state.begin(wanted);
  if (origin.space === wanted.space && origin.server === wanted.server)
    return requireUser(origin, wanted, directory);
  if (origin.space === wanted.space && head !== null && (await hasHistory(server, head))) {
    requireUser(origin, wanted, directory);
    return state.moveTo(wanted.server);
  }
  throw new AppError(
    "conflict",
    `${directory} already syncs with ${origin.space} of ${origin.server}; choose another folder`,
    { server: origin.server, space: origin.space },
  );
}

function requireUser({ user }: Origin, wanted: Origin, directory: string): void {
  if (nameKey(user) === nameKey(wanted.user)) return;
  const { server, space } = wanted;
  throw new AppError(
    "conflict",
    `${directory} syncs with ${space} of ${server} as ${user}, not as ${wanted.user}; run ${commandText(["cairn", "auth", "login", user, "--server", server])}, or choose another folder`,
    { server, space, user },
  );
}

async function hasHistory(server: ServerSpace, head: string): Promise<boolean> {
  try {
    await server.news(head);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "epoch_changed") return false;
    throw error;
  }
}
