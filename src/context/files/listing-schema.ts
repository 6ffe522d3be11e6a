// Files as the API lists them: what the store knows of them, and how the rules of their space let them travel.

import { Type, type Static } from "@sinclair/typebox";
import { closed } from "../../kit/schema.ts";
import { SyncMode } from "../spaces/schema.ts";
import { FileRecord, Head, Refusal } from "./schema.ts";

export const ListedFile = closed({ ...FileRecord.properties, mode: SyncMode });
export type ListedFile = Static<typeof ListedFile>;

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
