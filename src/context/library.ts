// The part of the context side that other programs use: one space, in a folder of this machine or on a server. Opening one loads the code for it,
// because a start must not pay for what it may never need.

import type { LocalSpaceDeps } from "./space/local.ts";
import type { FolderSpace, SpaceDoor } from "./space/door.ts";

export { Receipt } from "./delivery/schema.ts";
export { expectedFrom } from "./files/expectation.ts";
export { holdsLocalSpace, ownSpaceDirectory } from "./space/directory.ts";
export type { FrozenFolder } from "./space/frozen-folder.ts";
export { LentSpace, type Lease } from "./space/lent.ts";
export type { ReadDocument, UnreadDocument } from "./files/documents.ts";
export { isReserved } from "./versioned-store/sqlite/reserved.ts";
export { headText } from "./versioned-store/head.ts";
export type { ListedFile } from "./files/listing-schema.ts";
export type { SearchLine } from "./search/schema.ts";
export type { FolderSpace, SpaceDoor } from "./space/door.ts";

/** Raises as `openLocalSpace` in space/local.ts does. */
export async function openFolderSpace(directory: string, deps: LocalSpaceDeps): Promise<FolderSpace> {
  const { openLocalSpace } = await import("./space/local.ts");
  return openLocalSpace(directory, deps);
}

interface ServerSpace {
  readonly url: string;
  readonly token: string;
  /** The name of the space. */
  readonly space: string;
}

/** Asks nothing yet. */
export async function openServerSpace({ url, token, space }: ServerSpace): Promise<SpaceDoor> {
  const [{ Client, networkTransport }, { RemoteSpace }] = await Promise.all([
    import("./client/client.ts"),
    import("./space/remote.ts"),
  ]);
  return new RemoteSpace(new Client(networkTransport(url, token)), space);
}
