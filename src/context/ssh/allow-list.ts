// The keys that sign in: `tui.ssh.keys` of `server.yaml` as the file is now. The file is looked at when someone connects, and now and then while
// connections are open; without connections, this does nothing. A file with a mistake changes nothing.

import { statSync, type BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import ssh2, { type ParsedKey } from "ssh2";
import type { Clock } from "../../kit/clock.ts";
import { pause } from "../../kit/concurrency/deadline.ts";
import { AppError, messageOf, systemCode } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { nameKey } from "../../kit/text/names.ts";
import type { WorkerPool } from "../../kit/workers/pool.ts";
import { CONFIG_FILE_NAME } from "../config/directory.ts";
import { fingerprintOf } from "../config/public-key.ts";
import type { AllowedKey } from "../config/schema.ts";
import { KEYS_JOB } from "./keys-job.ts";

/** An editor that writes in place takes less time between two writes. */
const SETTLED_MS = 100;
const LOOKS_MAX = 20;
/** A file that changed so shortly before may have changed after the server read it. */
const NEWS_MS = 60_000;
/** As many keys as there may be take less. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;

interface KnownKey {
  readonly user: string;
  readonly key: ParsedKey;
}

export interface KeyChange {
  readonly added: readonly AllowedKey[];
  readonly removed: readonly AllowedKey[];
}

interface AllowListParts {
  /** Of the server. */
  readonly directory: string;
  readonly keys: readonly AllowedKey[];
  readonly workers: Pick<WorkerPool, "run">;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after the list changed. */
  readonly changed: (change: KeyChange) => void;
}

export class AllowList {
  readonly #parts: AllowListParts;
  readonly #path: string;
  #keys: ReadonlyMap<string, AllowedKey>;
  /** The identity of the file when it was read. */
  #read: string | undefined;
  #looking: Promise<void> | undefined;
  readonly #ending = new AbortController();

  constructor(parts: AllowListParts) {
    this.#parts = parts;
    this.#path = join(parts.directory, CONFIG_FILE_NAME);
    this.#keys = mapOf(parts.keys);
    const found = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (found && Number(found.ctimeMs) < parts.clock.now() - NEWS_MS) this.#read = idOf(found);
  }

  find(data: Buffer): KnownKey | undefined {
    const known = this.#keys.get(data.toString("base64"));
    const key = known && ssh2.utils.parseKey(`${known.type} ${known.blob}`);
    return !known || !key || key instanceof Error ? undefined : { user: known.user, key };
  }

  /** Reports whether the key still signs in this user. */
  holds(data: Buffer, user: string): boolean {
    return isOf(this.#keys.get(data.toString("base64")), user);
  }

  /** Resolves when the list is as the file is now. */
  refresh(): Promise<void> {
    return (this.#looking ??= this.#look().finally(() => (this.#looking = undefined)));
  }

  close(): void {
    this.#ending.abort();
  }

  async #look(): Promise<void> {
    let found = await this.#fileNow();
    if (found.id === this.#read) return;
    for (let looks = 1; looks < LOOKS_MAX; looks++) {
      await pause(SETTLED_MS, this.#ending.signal);
      if (this.#ending.signal.aborted) return;
      const before = found.id;
      found = await this.#fileNow();
      if (found.id === before) break;
    }
    this.#read = found.id;
    try {
      this.#take(await this.#keysIn(found.bytes));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // Only the file itself stays wrong until it changes.
      if (error.code !== "invalid" && error.code !== "refused") this.#read = undefined;
      this.#parts.log.error("cannot apply the changed server.yaml; tui.ssh.keys stays as it was", {
        error: messageOf(error),
      });
    }
  }

  /** Raises what the configuration and the worker pool raise. */
  #keysIn(bytes: number): Promise<readonly AllowedKey[]> {
    const { directory, workers } = this.#parts;
    // An editor that writes in place empties the file first; nobody means that.
    if (bytes === 0) throw new AppError("invalid", `config ${this.#path}: missing or empty`);
    if (bytes > FILE_BYTES_MAX)
      throw new AppError("invalid", `config ${this.#path}: more than ${FILE_BYTES_MAX} bytes`);
    return workers.run(KEYS_JOB, { directory }, { by: "server" });
  }

  #take(keys: readonly AllowedKey[]): void {
    const before = this.#keys;
    this.#keys = mapOf(keys);
    const added = keys.filter(({ blob, user }) => !isOf(before.get(blob), user));
    const removed = [...before.values()].filter(({ blob, user }) => !isOf(this.#keys.get(blob), user));
    if (added.length + removed.length === 0) return;
    this.#parts.log.info("tui.ssh.keys changed", { added: added.length, removed: removed.length });
    this.#parts.changed({ added, removed });
  }

  /** The id differs whenever the content may. */
  async #fileNow(): Promise<{ readonly id: string; readonly bytes: number }> {
    try {
      const found = await stat(this.#path, { bigint: true });
      return { id: idOf(found), bytes: Number(found.size) };
    } catch (error) {
      return { id: `no file: ${systemCode(error)}`, bytes: 0 };
    }
  }
}

/** Names are the same in any case. */
function isOf(key: AllowedKey | undefined, user: string): boolean {
  return key !== undefined && nameKey(key.user) === nameKey(user);
}

function idOf({ dev, ino, mtimeNs, ctimeNs, size }: BigIntStats): string {
  return [dev, ino, mtimeNs, ctimeNs, size].join(" ");
}

/** For the audit record. */
export function nameOfKey({ user, blob }: AllowedKey): string {
  return `${user} ${fingerprintOf(Buffer.from(blob, "base64"))}`;
}

function mapOf(keys: readonly AllowedKey[]): ReadonlyMap<string, AllowedKey> {
  return new Map(keys.map((key) => [key.blob, key]));
}
