// Events of the conversation.

import { closed, Id } from "../../kit/schema.ts";
import { Entry } from "./schema.ts";

const EntryIdData = closed({ entry_id: Id });

export const entryEvents = {
  entry: closed({ entry: Entry }),
  "entry.forgotten": EntryIdData,
  "entry.restored": EntryIdData,
  "entry.taint_cleared": EntryIdData,
};
export type EntryEvents = typeof entryEvents;
