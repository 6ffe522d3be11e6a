// Builds export and import.

import { join } from "node:path";
import { SpoolDirectory } from "../../kit/disk/spool.ts";
import type { Ground } from "../ground.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";
import { Exports, type ExportDeps } from "./export.ts";
import { Imports, type ImportDeps } from "./import.ts";
import { Settling } from "./settling.ts";
import { transferStore } from "./store.ts";

interface TransferNeeds
  extends
    Pick<
      ExportDeps,
      "access" | "blueprint" | "gears" | "gearBindings" | "instructions" | "contextBindings" | "files"
    >,
    Pick<ImportDeps, "models" | "snapshots"> {
  readonly workspaces: Workspaces;
}

export function buildTransfer({ db, clock, config, audit }: Ground, needs: TransferNeeds) {
  const { staging } = needs.workspaces;
  const store = transferStore(db);
  const spools = new SpoolDirectory(join(config.data, "imports"));
  return {
    exports: new Exports({ ...needs, db, store, audit, clock }),
    imports: new Imports({
      ...needs,
      db,
      store,
      spools,
      staging,
      settling: new Settling({ ...needs, staging, audit }),
      audit,
      clock,
    }),
  };
}
