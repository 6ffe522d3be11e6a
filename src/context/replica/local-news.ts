// Finds out, without a request, whether paths of the local space hold something that the server should get.

import { modeOf } from "../spaces/modes.ts";
import type { LocalCopy } from "./local-copy.ts";
import { look } from "./looking.ts";
import type { ReplicaState } from "./state.ts";

/** True also for a path whose state only a cycle can judge. */
export function hasLocalNews(
  state: ReplicaState,
  local: LocalCopy,
  paths: ReadonlySet<string>,
): Promise<boolean> {
  const { rules } = state;
  return local.use(async (engine) => {
    const { live, edited, missing } = await look(engine, paths);
    const isSynced = (path: string) => modeOf(rules, path) === "always";
    if ([...edited, ...missing].some(isSynced)) return true;
    for (const [path, { hash }] of live)
      if (isSynced(path) && state.file(path)?.base_hash !== hash) return true;
    // Deleted with a command: neither a file nor a live version is left.
    for (const path of paths)
      for (const row of state.filesUnder(path))
        if (!live.has(row.path) && isSynced(row.path) && row.base_hash) return true;
    return false;
  });
}
