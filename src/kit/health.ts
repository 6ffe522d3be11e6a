// The health check. It writes to every store, because a full or read-only disk still serves reads. It runs at most once a second, and
// concurrent callers share the result.

import { open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Type, type Static } from "@sinclair/typebox";
import type { Clock } from "./clock.ts";
import { PRIVATE_FILE_MODE } from "./disk/modes.ts";
import { closed, oneOf } from "./schema.ts";
import { storageReasonOf, storageReasons } from "./storage-error.ts";
import { version } from "./version.ts";

const SHARED_MS = 1_000;
const PROBE_NAME = ".health";
/** The space that a small commit needs: a disk with less refuses the next one. */
const PROBE_BYTES = 16 * 1024;

/** `broken`: stored data is altered or partly unusable, but the program still works. */
const healthReasons = [...storageReasons, "broken"] as const;

export const HealthProblem = closed({
  what: Type.String({ description: "database, disk, spaces, audit, certificate, replication, snapshots" }),
  reason: oneOf(healthReasons),
});
export type HealthProblem = Static<typeof HealthProblem>;

export const HealthState = closed({
  status: oneOf(["ok", "degraded"]),
  version: Type.String(),
  problems: Type.Array(HealthProblem),
});
export type HealthState = Static<typeof HealthState>;

/** A store to check. `write` raises if the store refuses a write. */
interface Storage {
  readonly what: string;
  readonly write: () => Promise<void>;
}

export class Health {
  readonly #clock: Clock;
  readonly #storages: readonly Storage[];
  readonly #known: () => readonly HealthProblem[];
  #look: { readonly at: number; readonly found: Promise<readonly HealthProblem[]> } | undefined;
  #isLooking = false;

  /** `known` returns problems that need no check. */
  constructor(clock: Clock, storages: readonly Storage[], known: () => readonly HealthProblem[] = () => []) {
    this.#clock = clock;
    this.#storages = storages;
    this.#known = known;
  }

  async state(): Promise<HealthState> {
    const problems = [...(await this.#found()), ...this.#known()];
    return { status: problems.length === 0 ? "ok" : "degraded", version: version.version, problems };
  }

  #found(): Promise<readonly HealthProblem[]> {
    const now = this.#clock.elapsed();
    if (this.#look && (this.#isLooking || now - this.#look.at < SHARED_MS)) return this.#look.found;
    this.#isLooking = true;
    const found = this.#problems().finally(() => (this.#isLooking = false));
    this.#look = { at: now, found };
    return found;
  }

  async #problems(): Promise<HealthProblem[]> {
    const problems: HealthProblem[] = [];
    for (const { what, write } of this.#storages) {
      try {
        await write();
      } catch (error) {
        problems.push({ what, reason: storageReasonOf(error) });
      }
    }
    return problems;
  }
}

/** `audit: broken` */
export function problemText({ what, reason }: HealthProblem): string {
  return `${what}: ${reason.replace("_", "-")}`;
}

/** 503 if the program cannot work; other problems answer 200. */
export function healthStatus({ problems }: HealthState): 200 | 503 {
  return problems.every(({ reason }) => reason === "broken") ? 200 : 503;
}

/** Checks that the disk of a directory accepts new data, because a database may still have free pages. Leaves no file behind. */
export async function probeDirectory(directory: string): Promise<void> {
  const path = join(directory, PROBE_NAME);
  try {
    const handle = await open(path, "w", PRIVATE_FILE_MODE);
    try {
      await handle.writeFile(PROBE);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } finally {
    await rm(path, { force: true });
  }
}

/** As `probeDirectory`, once per disk. */
export async function probeDisks(directories: readonly string[]): Promise<void> {
  const disks = new Set<number>();
  for (const directory of directories) {
    const { dev } = await stat(directory);
    if (!disks.has(dev)) await probeDirectory(directory);
    disks.add(dev);
  }
}

/** Not zeros, because some file systems store zeros without a block. */
const PROBE = new Uint8Array(PROBE_BYTES).fill(0x5a);
