// A blank space behind each kind of door, for tests that every surface must pass: a folder on this machine, and a space of a server.

import { join } from "node:path";
import { Client } from "../../../src/context/client/client.ts";
import { inProcessTransport } from "../../../src/context/in-process.ts";
import { initServer } from "../../../src/context/init-server.ts";
import type { SpaceDoor } from "../../../src/context/space/door.ts";
import { createLocalSpace, openLocalSpace } from "../../../src/context/space/local.ts";
import { RemoteSpace } from "../../../src/context/space/remote.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { temporaryFolder } from "../folder.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
export const PERSON = "ann";

export interface OpenedDoor extends AsyncDisposable {
  readonly space: SpaceDoor;
  /** Its working tree. */
  readonly tree: string;
}

/** For spaces without a server, whose limits nobody meets. */
export const noWait = () => Promise.reject(new Error("no server limits these tests"));

export const localDeps = { clock: systemClock, log: silent, person: PERSON };

async function localDoor(): Promise<OpenedDoor> {
  const folder = await temporaryFolder();
  const tree = join(folder.path, "space");
  const created = await createLocalSpace({ directory: tree, name: "main", template: "blank" }, localDeps);
  await created.close();
  return opened(await openLocalSpace(tree, localDeps), tree, folder);
}

async function remoteDoor(): Promise<OpenedDoor> {
  const folder = await temporaryFolder();
  const directory = join(folder.path, "server");
  const log = { format: "json" as const, write: () => {} };
  await initServer({ directory, space: "main", admin: "ada", template: "blank" }, log);
  const client = new Client(inProcessTransport(directory, log));
  return opened(new RemoteSpace(client, "main"), join(directory, "spaces", "main"), folder);
}

function opened(space: SpaceDoor, tree: string, folder: AsyncDisposable): OpenedDoor {
  return {
    space,
    tree,
    async [Symbol.asyncDispose]() {
      await space.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export const doors: Readonly<Record<string, () => Promise<OpenedDoor>>> = {
  "a folder": localDoor,
  "a space of a server": remoteDoor,
};
