// The local door: lets the command line on the same machine reach a running server. A file that only the owner of the data directory can read
// holds the server's URL and a token for this run. Anyone who can read that file could read the data itself.

import { existsSync, mkdirSync, rmSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { newToken } from "../../kit/crypto.ts";
import { PRIVATE_DIRECTORY_MODE } from "../../kit/disk/modes.ts";
import { readRegularFile } from "../../kit/disk/regular-file.ts";
import { replaceFileNow } from "../../kit/disk/replace-file.ts";
import { systemCode } from "../../kit/error.ts";

const ANSWER_WAIT_MS = 3_000;
/** The place of a listener of its own for these commands, where others speak TLS. */
export const LOCAL = { host: "127.0.0.1", port: 0 } as const;

export interface Door {
  readonly pid: number;
  readonly url: string;
  /** The address for everyone else, if it is another. */
  readonly public_url?: string | undefined;
  readonly token: string;
}

/** The folder of a server directory for what is true only while the server runs. */
export function runFolder(directory: string): string {
  return join(directory, "run");
}

export class LocalDoor {
  /** The name of these callers in the audit record. */
  readonly name: string;
  readonly #path: string;

  constructor(directory: string) {
    this.#path = doorPath(directory);
    this.name = `${systemUser()} (this machine)`;
  }

  /** Writes the file. Returns the token. */
  open(url: string, publicUrl?: string): string {
    const token = newToken();
    mkdirSync(join(this.#path, ".."), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    const door: Door = { pid: process.pid, url, public_url: publicUrl, token };
    // At once, so that no command reads half of it and takes the server for stopped.
    replaceFileNow(this.#path, JSON.stringify(door), { isDurable: false });
    return token;
  }

  close(): void {
    rmSync(this.#path, { force: true });
  }
}

function doorPath(directory: string): string {
  return join(runFolder(directory), "server.json");
}

/** Undefined if there is no file. The file may be a leftover; the caller must check by asking the server. */
function readDoor(directory: string): Door | undefined {
  const path = doorPath(directory);
  if (!existsSync(path)) return undefined;
  try {
    const door = JSON.parse(readRegularFile(path).toString("utf8")) as Door;
    // The system takes numbers below 1 for process groups.
    return Number.isInteger(door.pid) && door.pid > 0 && typeof door.url === "string" ? door : undefined;
  } catch {
    return undefined;
  }
}

/** Reports whether a process with this id exists. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

export type DoorState =
  /** The server accepted the token, or is too busy to answer in time. */
  | { readonly kind: "running"; readonly door: Door }
  /** The server that the file names is gone. */
  | { readonly kind: "stale"; readonly door: Door }
  | { readonly kind: "none" };

/**
 * Reports whether a server runs there. A process with the recorded id proves nothing, because the id may have been reused after a crash or
 * reboot; a server that answers at the URL and accepts the token does.
 */
export async function doorState(directory: string): Promise<DoorState> {
  const door = readDoor(directory);
  if (!door) return { kind: "none" };
  if (!isRunning(door.pid)) return { kind: "stale", door };
  try {
    const answer = await fetch(`${door.url}/api/v1/auth/whoami`, {
      headers: { Authorization: `Bearer ${door.token}` },
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_WAIT_MS),
    });
    await answer.body?.cancel();
    return { kind: answer.ok ? "running" : "stale", door };
  } catch (error) {
    // Too busy, or suspended: something holds the address, so the process id is right.
    return { kind: (error as { name?: string }).name === "TimeoutError" ? "running" : "stale", door };
  }
}

/** Undefined if no server runs there. */
export async function runningDoor(directory: string): Promise<Door | undefined> {
  const state = await doorState(directory);
  return state.kind === "running" ? state.door : undefined;
}

/** Returns the name of the system user, or the id if there is no name. */
export function systemUser(): string {
  const { username, uid } = userInfo();
  return username !== "" && username !== "unknown" ? username : uid === 0 ? "root" : `user ${uid}`;
}
