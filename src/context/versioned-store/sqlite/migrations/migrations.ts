// The migrations of a space's database, in order. Never edit a released file: every database stores its hash.

import type { Migration } from "../../../../kit/storage/migrate.ts";
import init from "./001_space.sql" with { type: "text" };
import metadata from "./002_metadata.sql" with { type: "text" };
import copies from "./004_copies.sql" with { type: "text" };
import pendingBlobs from "./003_pending_blobs.sql" with { type: "text" };
import messages from "./005_messages.sql" with { type: "text" };
import linkLists from "./006_link_lists.sql" with { type: "text" };
import spaceSchema from "./whole.sql" with { type: "text" };

export const spaceMigrations: readonly Migration[] = [
  { name: "001_space", sql: init },
  { name: "002_metadata", sql: metadata },
  { name: "003_pending_blobs", sql: pendingBlobs },
  { name: "004_copies", sql: copies },
  { name: "005_messages", sql: messages },
  { name: "006_link_lists", sql: linkLists },
];

/** The result of all migrations as one script (tests/house/whole-schema). */
export { spaceSchema };
