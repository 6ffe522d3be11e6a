// How the command line on the same machine reaches a server that runs: a file that only the owner of the data directory can read says where
// it listens and holds a token for this run of it. Who can read that file could read the data itself.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { newToken } from "../../kit/crypto.ts";
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../../kit/modes.ts";

const ANSWER_WAIT_MS = 3_000;

export interface Door {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
}

export class LocalDoor {
  /** As the audit record shows who came in here. */
  readonly name: string;
  readonly #path: string;

  constructor(directory: string) {
    this.#path = join(directory, "run", "server.json");
    this.name = `${systemUser()} (this machine)`;
  }

  /** Returns the token. */
  open(url: string): string {
    const token = newToken();
    mkdirSync(join(this.#path, ".."), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    rmSync(this.#path, { force: true });
    const door: Door = { pid: process.pid, url, token };
    writeFileSync(this.#path, JSON.stringify(door), { mode: PRIVATE_FILE_MODE, flag: "wx" });
    return token;
  }

  close(): void {
    rmSync(this.#path, { force: true });
  }
}

/** Undefined when no server says that it runs there. It may be a leftover: whoever uses it finds out by asking. */
export function readDoor(directory: string): Door | undefined {
  const path = join(directory, "run", "server.json");
  if (!existsSync(path)) return undefined;
  try {
    const door = JSON.parse(readFileSync(path, "utf8")) as Door;
    // Numbers below 1 mean groups of processes to the system.
    return Number.isInteger(door.pid) && door.pid > 0 && typeof door.url === "string" ? door : undefined;
  } catch {
    return undefined;
  }
}

/** Is there a process with this number? */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

export type DoorState =
  /** `door`: of the server that runs; it took the token, or is too busy to answer in time. */
  | { readonly kind: "running"; readonly door: Door }
  /** What it names is not there any more. */
  | { readonly kind: "stale"; readonly door: Door }
  | { readonly kind: "none" };

/**
 * Does a server run there? That a process has the number proves nothing: after a crash or a restart of the machine another one may have
 * it. What answers at the address and takes the token of this run does.
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
    // Too busy, or stopped by hand: it has the address, and so the number is its own.
    return { kind: (error as { name?: string }).name === "TimeoutError" ? "running" : "stale", door };
  }
}

/** Undefined when no server runs there. */
export async function runningDoor(directory: string): Promise<Door | undefined> {
  const state = await doorState(directory);
  return state.kind === "running" ? state.door : undefined;
}

/** As the system knows them; their number where it has no name for it. */
export function systemUser(): string {
  const { username, uid } = userInfo();
  return username !== "" && username !== "unknown" ? username : uid === 0 ? "root" : `user ${uid}`;
}
