// Rehashes versions of earlier builds once after the upgrade. Their hashes, and so their approvals, did not cover the description, so approved
// gears become pending again.

import type { Db } from "../../kit/storage/db.ts";
import type { Audit } from "../audit/audit.ts";
import { canonicalContent, contentHash, type Content } from "./content.ts";
import type { GearStore } from "./store.ts";

/** Runs at start, before any gear. Returns the number of withdrawn approvals. Handles one version at a time, because each can take 4 MiB. */
export function rehashVersions(db: Db, store: GearStore, audit: Audit): number {
  let withdrawn = 0;
  for (let row = store.unhashed.get(); row; row = store.unhashed.get()) {
    const { id, gear_id, name, description, runtime, entrypoint, args_schema: argsSchema } = row;
    const files = store.files.all(id);
    const content: Content = { name, description, runtime, entrypoint, argsSchema, files };
    const isApproved = row.is_approved === 1;
    db.writeNow(() => {
      store.setHash.run(contentHash(content), id);
      if (!isApproved) return;
      store.setStatus.run("pending", gear_id);
      audit.record(null, {
        action: "gear.withdraw",
        target: `gear:${gear_id}`,
        detail: { name, status_before: "approved", reason: "the approval did not cover the description" },
        content: canonicalContent(content),
      });
    });
    if (isApproved) withdrawn += 1;
  }
  return withdrawn;
}
