// Asks another process of this machine to finish its work and stop. A signal asks elsewhere; on Windows it would end the process at once, so a file
// asks there, in a folder that only the process and its owner write to. Its name has the ID of the process: none stops for an earlier one.

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PRIVATE_FILE_MODE } from "../disk/modes.ts";
import { waitForStopSignal } from "../environment.ts";

const LOOK_EVERY_MS = 250;

/** Returns at once; the process may take some time. Raises errors of the system, such as ESRCH for a process that is gone. */
export function requestStop(pid: number, folder: string, system: string = process.platform): void {
  if (system === "win32") writeFileSync(requestPath(folder, pid), "", { mode: PRIVATE_FILE_MODE });
  else process.kill(pid, "SIGTERM");
}

/** Resolves with the name of a termination signal, or with "request". `folder`: for requests on Windows; it may not exist yet. */
export function waitForStop(folder: string, system: string = process.platform): Promise<string> {
  const signal = waitForStopSignal();
  if (system !== "win32") return signal;
  const path = requestPath(folder, process.pid);
  const request = Promise.withResolvers<string>();
  const looking = setInterval(() => {
    if (!existsSync(path)) return;
    clearInterval(looking);
    request.resolve("request");
    removeIfPossible(path);
  }, LOOK_EVERY_MS);
  removeIfPossible(path);
  return Promise.race([signal, request.promise]);
}

/** Another program, such as a virus scanner, may hold a new file for a moment. The next process with this ID removes it. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}

function requestPath(folder: string, pid: number): string {
  return join(folder, `stop-${pid}`);
}
