// What every container of ours may not do, in one place, for gears and terminals alike. There is no setting for any of it.

import { SANDBOX_MEMORY_MB, SANDBOX_PROCESSES, SANDBOX_PROCESSORS } from "./sandbox.ts";

/** Nobody: an id that owns nothing on any system. */
export const CONTAINER_USER = "65534:65534";
/** Counts towards the memory limit. */
const TEMPORARY_MB = 256;

/** Arguments of `docker run` and `docker create`; the user, the mounts and the program are the caller's. */
export const ISOLATION_ARGUMENTS: readonly string[] = [
  "--pull=never",
  "--network=none",
  "--read-only",
  "--cap-drop=ALL",
  "--security-opt=no-new-privileges",
  `--memory=${SANDBOX_MEMORY_MB}m`,
  `--memory-swap=${SANDBOX_MEMORY_MB}m`,
  `--cpus=${SANDBOX_PROCESSORS}`,
  `--pids-limit=${SANDBOX_PROCESSES}`,
  "--init",
  `--tmpfs=/tmp:rw,nosuid,nodev,size=${TEMPORARY_MB}m,mode=1777`,
  "--env=HOME=/tmp",
  // Output goes to whoever is attached, and is not written to the daemon's disk as well.
  "--log-driver=none",
  "--no-healthcheck",
];
