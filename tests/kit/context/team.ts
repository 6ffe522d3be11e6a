// A server with a space, and two people who have a copy of it.

import { join } from "node:path";
import { systemClock, type Clock } from "../../../src/kit/clock.ts";
import { temporaryFolder } from "../folder.ts";
import { contextServer, type ContextServer } from "./context-server.ts";
import { replica, type Replica } from "./replica.ts";

export interface Team extends AsyncDisposable {
  readonly server: ContextServer;
  readonly ann: Replica;
  readonly bob: Replica;
}

/** `files`: in the space before they join. */
export async function team(files: Record<string, string> = {}, clock: Clock = systemClock): Promise<Team> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const server = stack.use(await contextServer());
  const [ann, bob] = await Promise.all(
    ["ann", "bob"].map(async (name) => {
      const { token } = await server.user(name, "contributor");
      return replica({ directory: join(folder.path, name), url: () => server.url, token, clock });
    }),
  );
  for (const [path, text] of Object.entries(files)) await server.admin.write(path, text);
  await ann!.join();
  await bob!.join();
  const kept = stack.move();
  return { server, ann: ann!, bob: bob!, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
