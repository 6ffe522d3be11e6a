// What other programs use of the context side: one space, in a folder of this machine or on a server.

export { Client, networkTransport } from "./client/client.ts";
export { Receipt } from "./delivery/schema.ts";
export { expectedFrom } from "./files/expectation.ts";
export { holdsLocalSpace, ownSpaceDirectory } from "./space/directory.ts";
export { LentSpace } from "./space/lent.ts";
export { openLocalSpace } from "./space/local.ts";
export { RemoteSpace } from "./space/remote.ts";
export type { ReadDocument, UnreadDocument } from "./files/documents.ts";
export type { ListedFile } from "./files/listing-schema.ts";
export type { SpaceDoor } from "./space/door.ts";
