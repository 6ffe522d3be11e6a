// Asks another process of this machine to finish its work and stop, with a file in a folder that only the process and its owner write to. Its name
// has the ID of the process: none stops for an earlier one. A signal tells the process, but only once: a second signal would end it at once. On Windows
// the first signal would as well, so the process looks for the file there.

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PRIVATE_FILE_MODE } from "../disk/modes.ts";
import { systemCode } from "../error.ts";
import { waitForStopSignal } from "../environment.ts";

const LOOK_EVERY_MS = 250;

/**
 * Returns at once; the process may take some time, and further requests do not hurry it. Raises errors of the system, such as EPERM for a process of
 * another user, but not for one that is gone.
 */
export function requestStop(pid: number, folder: string, system: string = process.platform): void {
  const path = requestPath(folder, pid);
  try {
    writeFileSync(path, "", { mode: PRIVATE_FILE_MODE, flag: "wx" });
  } catch (error) {
    // Asked before.
    if (systemCode(error) === "EEXIST") return;
    // A disk that is full must not keep a process running that a signal reaches.
    if (system === "win32") throw error;
  }
  if (system === "win32") return;
  try {
    process.kill(pid, "SIGTERM");
  } catch (error) {
    removeIfPossible(path);
    if (systemCode(error) !== "ESRCH") throw error;
  }
}

/** Called when the process has ended: a request may have arrived after it removed its own. */
export function forgetStop(pid: number, folder: string): void {
  removeIfPossible(requestPath(folder, pid));
}

/** Resolves with the name of a termination signal, or with "request". `folder`: for requests on Windows; it may not exist yet. */
export function waitForStop(folder: string, system: string = process.platform): Promise<string> {
  const signal = waitForStopSignal();
  const path = requestPath(folder, process.pid);
  removeIfPossible(path);
  if (system !== "win32") {
    process.once("exit", () => removeIfPossible(path));
    // After a signal that was no request, the next request would send a second one.
    void signal.then(() => markIfPossible(path));
    return signal;
  }
  const request = Promise.withResolvers<string>();
  const looking = setInterval(() => {
    if (!existsSync(path)) return;
    clearInterval(looking);
    request.resolve("request");
    removeIfPossible(path);
  }, LOOK_EVERY_MS);
  return Promise.race([signal, request.promise]);
}

function markIfPossible(path: string): void {
  try {
    writeFileSync(path, "", { mode: PRIVATE_FILE_MODE });
  } catch {}
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
