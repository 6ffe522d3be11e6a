// Events of the conversation.

import { Type } from "@sinclair/typebox";
import { closed, Id } from "../../kit/schema.ts";
import { AuthKind } from "../identity/schema.ts";
import { Entry } from "./schema.ts";

const EntryIdData = closed({ entry_id: Id });

export const entryEvents = {
  entry: closed({ entry: Entry }),
  "entry.forgotten": EntryIdData,
  "entry.restored": EntryIdData,
  /** The person who vouched for the text; absent from events of earlier builds. */
  "entry.taint_cleared": closed({
    entry_id: Id,
    by: Type.Optional(Type.String()),
    auth: Type.Optional(AuthKind),
  }),
};
export type EntryEvents = typeof entryEvents;
