// The restrictions of every container, for gears and terminals alike. None is configurable.

import { SANDBOX_MEMORY_MB, SANDBOX_PROCESSES, SANDBOX_PROCESSORS } from "./sandbox.ts";

/** The user `nobody`, which owns nothing on any system. */
export const CONTAINER_USER = "65534:65534";
/** Counts towards the memory limit. */
const TEMPORARY_MB = 256;
/** The docker client sets these from its own settings, often with a password. A variable without a value is removed. */
const PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap(
  (name) => [name, name.toLowerCase()],
);

/** Arguments of `docker run` and `docker create`; the caller adds the user, the mounts and the program. */
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
  ...PROXY_VARIABLES.map((name) => `--env=${name}`),
  // Output goes only to the attached client, not to the daemon's disk.
  "--log-driver=none",
  "--no-healthcheck",
];
