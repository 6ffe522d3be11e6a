// What runs first in every container: it waits on stdin for a call, runs the gear, and says its end on both streams.
// The end marker holds a secret that came on stdin. The gear cannot read it: the launcher's shell is a copy that nobody may read
// (0111), so that the kernel makes the process non-dumpable at exec and hides its memory, descriptors and environment from others of
// its user. A gear that got at it all the same could only end its own run, with output and exit code that it may choose anyhow.

import type { Runtime, SandboxRequest } from "./sandbox.ts";

/** Where things lie in a container. */
export const GEAR_FOLDER = "/gear";
export const LAUNCHER_PATH = "/.cairn/sh";
/** What is copied out of each image, and in again as LAUNCHER_PATH: the kernel must not be able to show it to its user. */
export const SHELL_PATH = "/bin/sh";
export const LAUNCHER_MODE = 0o111;

/** Said by the launcher: it waits for its call; it has the call, and the gear starts. */
export const READY = "ready";
export const BEGUN = "go";

/** POSIX. What the shell itself says (`Killed`) goes nowhere; the gear has the real stderr. `read` takes no byte too many. */
export const LAUNCHER_SCRIPT = [
  "exec 3>&2 2>/dev/null",
  `printf '${READY}\\n'`,
  "IFS= read -r secret && IFS= read -r program && IFS= read -r entrypoint || exit 125",
  `printf '${BEGUN}\\n'`,
  'if [ -n "$program" ]; then "$program" "./$entrypoint" 2>&3 3>&-; else "./$entrypoint" 2>&3 3>&-; fi',
  "code=$?",
  'printf \'\\036%s:%d\\n\' "$secret" "$code"',
  'printf \'\\036%s:%d\\n\' "$secret" "$code" >&3',
].join("\n");

const PROGRAMS: Record<Runtime, string> = { python: "python3", node: "node", bash: "bash", binary: "" };

/** What the launcher reads before it starts the gear; the rest of stdin is the gear's. Paths hold no line ends (kit/paths). */
export function launcherHeader(
  secret: string,
  { runtime, entrypoint }: Pick<SandboxRequest, "runtime" | "entrypoint">,
): string {
  return `${secret}\n${PROGRAMS[runtime]}\n${entrypoint}\n`;
}
