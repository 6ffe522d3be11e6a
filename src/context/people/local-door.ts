// How the command line on the same machine reaches a server that runs: a file that only the owner of the data directory can read says where
// it listens and holds a token for this run of it. Who can read that file could read the data itself.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { newToken } from "../../kit/crypto.ts";

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

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
    mkdirSync(join(this.#path, ".."), { recursive: true, mode: DIRECTORY_MODE });
    rmSync(this.#path, { force: true });
    const door: Door = { pid: process.pid, url, token };
    writeFileSync(this.#path, JSON.stringify(door), { mode: FILE_MODE, flag: "wx" });
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
    return JSON.parse(readFileSync(path, "utf8")) as Door;
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

/** As the system knows them; their number where it has no name for it. */
export function systemUser(): string {
  const { username, uid } = userInfo();
  return username !== "" && username !== "unknown" ? username : uid === 0 ? "root" : `user ${uid}`;
}
