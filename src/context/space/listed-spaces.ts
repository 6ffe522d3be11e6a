// The spaces of a server that a person sees, through its HTTP API. Loads no code but its own: the command line starts with it.

import type { Client } from "../client/client.ts";
import type { SpaceList } from "../spaces/open-space.ts";
import type { Space } from "../spaces/schema.ts";

export async function listedSpaces(client: Client): Promise<SpaceList> {
  const { value: spaces, headers } = await client.answer<Space[]>("GET", "/spaces");
  return { spaces, unopened: headers.get("X-Service-Unopened")?.split(",") ?? [] };
}
