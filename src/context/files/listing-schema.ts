// What the API answers about files beyond what the store records: how the rules of their space let them travel, and what a change did.

import { Type, type Static } from "@sinclair/typebox";
import { closed } from "../../kit/schema.ts";
import { SyncMode } from "../spaces/schema.ts";
import { FileRecord, Head, Refusal } from "../versioned-store/schema.ts";

export const ListedFile = closed({ ...FileRecord.properties, mode: SyncMode });
export type ListedFile = Static<typeof ListedFile>;

export const Deleted = closed({
  path: Type.String(),
  version: Type.Integer({ description: "that was live, and that undelete brings back" }),
  head: Head,
});
export type Deleted = Static<typeof Deleted>;

/** What was recorded of the working tree, and what cannot be. */
export const Adoption = closed({
  head: Head,
  adopted: Type.Array(Type.String()),
  refused: Type.Array(
    closed({
      path: Type.String({ description: "ends with a slash for a directory and everything below it" }),
      ...Refusal.properties,
    }),
  ),
});
export type Adoption = Static<typeof Adoption>;
