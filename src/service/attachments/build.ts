// Builds the attachments feature.

import { join } from "node:path";
import type { Ground } from "../ground.ts";
import type { Access } from "../workspaces/access.ts";
import { AttachmentReader } from "./attachment-contents.ts";
import { AttachmentFiles } from "./attachment-files.ts";
import { Attachments } from "./attachments.ts";
import { attachmentStore } from "./store.ts";

/** Below the data directory. */
export const ATTACHMENTS_FOLDER = "attachments";

export function buildAttachments({ db, config, workers, background, clock, log }: Ground, access: Access) {
  const store = attachmentStore(db);
  const files = new AttachmentFiles(join(config.data, ATTACHMENTS_FOLDER));
  return {
    attachments: new Attachments({ db, store, files, access, workers, background, clock, log }),
    attachmentReader: new AttachmentReader(store, files),
  };
}
