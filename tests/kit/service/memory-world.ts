// A service with memory: a space in a folder, or on a context server of its own. `space` opens it as a person's command does.

import { join } from "node:path";
import { Client, networkTransport } from "../../../src/context/client/client.ts";
import type { SpaceDoor } from "../../../src/context/space/door.ts";
import { createLocalSpace, openLocalSpace } from "../../../src/context/space/local.ts";
import { RemoteSpace } from "../../../src/context/space/remote.ts";
import { contextServer, SPACE, type ContextServer } from "../context/context-server.ts";
import { temporaryFolder } from "../folder.ts";
import { localDeps } from "../context/space-doors.ts";
import { world, type Furniture, type World } from "./world.ts";
import { atEnd } from "../at-end.ts";

export interface MemoryWorld extends AsyncDisposable {
  readonly at: World;
  /** Opens the space for one piece of work. */
  space<T>(work: (space: SpaceDoor) => Promise<T>): Promise<T>;
  /** Only where memory is on a server. */
  readonly server: ContextServer | undefined;
  readonly tokenFile: string;
  /** The flags with which a command of `cairn` finds the space. */
  readonly command: readonly string[];
}

export const memoryKinds = ["folder", "server"] as const;
type MemoryKind = (typeof memoryKinds)[number];

export async function memoryWorld(kind: MemoryKind, furniture: Furniture = {}): Promise<MemoryWorld> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const directory = join(folder.path, "space");
  const tokenFile = join(folder.path, "token");
  const server = kind === "server" ? stack.use(await contextServer()) : undefined;
  if (server) await Bun.write(tokenFile, server.bootstrap);
  else await (await createLocalSpace({ directory, name: "notes", template: "blank" }, localDeps)).close();
  const memory = server
    ? { server: { url: server.url, space: SPACE, token_file: tokenFile } }
    : { space: directory };
  const config = await folder.write("config.yaml", Bun.YAML.stringify({ memory }, null, 2));
  const at = stack.use(await world({ ...furniture, flags: { config } }));
  const open = async (): Promise<SpaceDoor> =>
    server
      ? new RemoteSpace(new Client(networkTransport(server.url, server.bootstrap)), SPACE)
      : openLocalSpace(directory, localDeps);
  const kept = stack.move();
  return {
    at,
    server,
    tokenFile,
    command: server ? ["--server", server.url, "--token-file", tokenFile] : ["--dir", directory],
    async space(work) {
      const space = await open();
      await using _ = atEnd(() => space.close());
      return await work(space);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
