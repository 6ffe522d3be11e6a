// The first process in every container: it waits on stdin for a call, runs the gear, and marks its end on both streams.
// The end marker contains a secret from stdin that the gear cannot read: the launcher's shell is an unreadable copy (0111), so that the kernel
// makes the process non-dumpable at exec and hides its memory, descriptors and environment from other processes of its user. A gear that got
// the secret anyway could only end its own run, with output and an exit code that it controls in any case.

import type { Runtime, SandboxRequest } from "./sandbox.ts";

/** Paths in a container. */
export const GEAR_FOLDER = "/gear";
export const LAUNCHER_PATH = "/.cairn/sh";
/** Copied out of each image and mounted as LAUNCHER_PATH, so that its user cannot read it. */
export const SHELL_PATH = "/bin/sh";
export const LAUNCHER_MODE = 0o111;
/** For a daemon that cannot run an unreadable program. A gear can then read the secret. */
export const READABLE_LAUNCHER_MODE = 0o555;

/** Printed by the launcher when it is ready for its call, and when it starts the gear. */
export const READY = "ready";
export const BEGUN = "go";

/** POSIX. Discards the shell's own messages (`Killed`); the gear has the real stderr. `read` consumes no byte beyond its line. */
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

/** The header that the launcher reads before it starts the gear; the rest of stdin is for the gear. Paths contain no line breaks (kit/paths). */
export function launcherHeader(
  secret: string,
  { runtime, entrypoint }: Pick<SandboxRequest, "runtime" | "entrypoint">,
): string {
  return `${secret}\n${PROGRAMS[runtime]}\n${entrypoint}\n`;
}
