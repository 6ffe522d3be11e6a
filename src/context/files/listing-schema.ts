// Responses about files that go beyond the records of the store: sync modes, and the results of changes.

import { Type, type Static } from "@sinclair/typebox";
import { closed } from "../../kit/schema.ts";
import { SyncMode } from "../spaces/schema.ts";
import { FileRecord, Head, Refusal } from "../versioned-store/schema.ts";

export const ListedFile = closed({ ...FileRecord.properties, mode: SyncMode });
export type ListedFile = Static<typeof ListedFile>;

export const Deleted = closed({
  path: Type.String(),
  version: Type.Integer({ description: "the version that was live and that undelete restores" }),
  head: Head,
});
export type Deleted = Static<typeof Deleted>;

/** The recorded files of the working tree, and those that cannot be recorded. */
export const Adoption = closed({
  head: Head,
  adopted: Type.Array(Type.String()),
  refused: Type.Array(
    closed({
      path: Type.String({ description: "a trailing slash marks a directory with everything below it" }),
      ...Refusal.properties,
    }),
  ),
});
export type Adoption = Static<typeof Adoption>;

/** A space that was restored to a snapshot. */
export const Restoration = closed({
  head: Head,
  files: Type.Array(Type.String({ description: "got a new version" })),
  lost: Type.Array(
    Type.String({
      description: "stays as it is, because its content at that time was destroyed or pruned",
    }),
  ),
});
