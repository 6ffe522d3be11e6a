// The local door: lets the command line on the same machine reach a running server. A file that only the owner of the data directory can read
// holds the server's URL and a token for this run. Anyone who can read that file could read the data itself.

import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { newToken } from "../../kit/crypto.ts";
import { PRIVATE_DIRECTORY_MODE } from "../../kit/disk/modes.ts";
import { readRegularFile } from "../../kit/disk/regular-file.ts";
import { replaceFileNow } from "../../kit/disk/replace-file.ts";
import { ownUser } from "../../kit/environment.ts";
import { systemCode } from "../../kit/error.ts";
import { listenersAt } from "../../kit/network/listener-owner.ts";
import { portOf } from "../../kit/network/url-port.ts";

const ANSWER_WAIT_MS = 3_000;
/** A server that starts, or a node that takes over, has up to two places one after the other. */
const DOORS_MAX = 8;
const ROOT = 0;
/** The place of a listener of its own for these commands, where others speak TLS. */
export const LOCAL = { host: "127.0.0.1", port: 0 } as const;

export interface Door {
  readonly pid: number;
  readonly url: string;
  /** The address for everyone else, if it is another. */
  readonly public_url?: string | undefined;
  readonly token: string;
  /** Nobody is served yet. */
  readonly starting?: boolean | undefined;
  /** Of one of several nodes. */
  readonly node?: { readonly name: string; readonly role: "leader" | "standby" } | undefined;
}

type Place = Omit<Door, "pid" | "token">;

/** The folder of a server directory for what is true only while the server runs. */
export function runFolder(directory: string): string {
  return join(directory, "run");
}

export class LocalDoor {
  /** The name of these callers in the audit record. */
  readonly name: string;
  readonly #path: string;
  #token: string | undefined;

  constructor(directory: string) {
    this.#path = doorPath(directory);
    this.name = `${systemUser()} (this machine)`;
  }

  /** Writes the file, in place of that of another door of this process. Returns the token. */
  open(place: Place): string {
    const token = (this.#token = newToken());
    mkdirSync(join(this.#path, ".."), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    const door: Door = { pid: process.pid, ...place, token };
    // At once, so that no command reads half of it and takes the server for stopped.
    replaceFileNow(this.#path, JSON.stringify(door), { isDurable: false });
    return token;
  }

  /** Leaves the file of another door that took its place. */
  close(): void {
    if (this.#token !== undefined && doorAt(this.#path)?.token === this.#token)
      rmSync(this.#path, { force: true });
  }
}

function doorPath(directory: string): string {
  return join(runFolder(directory), "server.json");
}

/** Undefined if there is no file. The file may be a leftover; the caller must check by asking the server. */
function doorAt(path: string): Door | undefined {
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
  /** The same of a server that serves nobody yet. */
  | { readonly kind: "starting"; readonly door: Door }
  /** The server that the file names is gone. */
  | { readonly kind: "stale"; readonly door: Door }
  | { readonly kind: "none" };

/**
 * Reports whether a server runs there. A process with the recorded id proves nothing, because the id may have been reused after a crash or
 * reboot; a server that answers at the URL and accepts the token does. `listeners`: only tests replace it.
 */
export async function doorState(directory: string, listeners = listenersAt): Promise<DoorState> {
  const path = doorPath(directory);
  let door = doorAt(path);
  if (!door) return { kind: "none" };
  for (let looks = 1; ; looks += 1) {
    if (isRunning(door.pid) && leadsToOwner(path, door, listeners) && (await isAnswering(door)))
      return { kind: door.starting ? "starting" : "running", door };
    const now = doorAt(path);
    // It may have moved while it was asked, as at the end of a start.
    if (!now || now.token === door.token || looks === DOORS_MAX) return { kind: "stale", door };
    door = now;
  }
}

/**
 * Reports whether requests to the door reach a program that may have them. Ask it before each request: the server may have ended. `listeners`: only
 * tests replace it.
 */
export function isSafe(directory: string, door: Door, listeners = listenersAt): boolean {
  return leadsToOwner(doorPath(directory), door, listeners);
}

/**
 * After a crash, the program of another user may listen on the port, and would answer anything. So neither the token nor a request goes to a program
 * that is not of the server's user, who owns the file, of root, or of the person.
 */
function leadsToOwner(path: string, { url }: Door, listeners: typeof listenersAt): boolean {
  const at = URL.parse(url);
  const users = at === null ? [] : listeners(at.hostname, portOf(at));
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  return users.every((user) => user === ROOT || user === ownUser() || user === owner);
}

async function isAnswering({ url, token }: Door): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/api/v1/auth/whoami`, {
      headers: { Authorization: `Bearer ${token}` },
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_WAIT_MS),
    });
    await answer.body?.cancel();
    return answer.ok;
  } catch (error) {
    // Too busy, or suspended: something holds the address, so the process id is right.
    return (error as { name?: string }).name === "TimeoutError";
  }
}

/** Undefined if no server runs there. */
export async function runningDoor(directory: string, listeners = listenersAt): Promise<Door | undefined> {
  const state = await doorState(directory, listeners);
  return state.kind === "running" ? state.door : undefined;
}

/** Returns the name of the system user, or the id if there is no name. */
export function systemUser(): string {
  const { username, uid } = userInfo();
  return username !== "" && username !== "unknown" ? username : uid === 0 ? "root" : `user ${uid}`;
}
