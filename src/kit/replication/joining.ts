// The first step of a node: it finds its place in the log that the bucket holds, begins a log with its data, or joins one with an empty directory. It
// never guesses: a directory of another log is refused, and stays as it is.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../error.ts";
import type { Log } from "../log.ts";
import type { ObjectStorage } from "../object-storage/object-storage.ts";
import { randomHex } from "../random.ts";
import { proveFiles } from "./file-marks.ts";
import { readState, removeState, writeState, type LocalState } from "./local-state.ts";
import { clusterIn } from "./log-inventory.ts";
import { CLUSTER } from "./places.ts";

const CLUSTER_BITS = 128;

export interface JoiningDeps {
  readonly storage: ObjectStorage;
  readonly directory: string;
  /** The names in the directory that the log describes. Everything else there belongs to this node alone. */
  readonly names: readonly string[];
  /** Returns the absolute paths of the files that the log describes. */
  readonly files: () => readonly string[];
  readonly log: Log;
}

export class Joining {
  readonly #deps: JoiningDeps;
  #waits = false;

  constructor(deps: JoiningDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the state of this node in the log, and creates the log if this node has the data for it. Undefined: there is no log yet, and this node
   * has no data. Raises `refused` for a directory that belongs to another log or has data of its own, `unavailable`, errors of the disk.
   */
  async state(): Promise<LocalState | undefined> {
    const { storage, directory, log } = this.#deps;
    const cluster = await clusterIn(storage);
    const known = await readState(directory);
    // Only now: a node that refuses keeps the marks for its next start.
    if (known && known.cluster === cluster) return proveFiles(this.#deps, known);
    // It ended while it created the log.
    const isBegun = known?.seq === 0 && known.files === "exact";
    if (known && !isBegun)
      throw new AppError(
        "refused",
        cluster === undefined
          ? `the bucket holds no replication log, but ${directory} belonged to one; if the log is lost, delete replication.json there, and this node starts a new log from its data`
          : `the bucket holds another replication log than the one that ${directory} belongs to; check replication.bucket and replication.prefix`,
      );
    if (cluster === undefined) {
      if (this.#hasData()) return this.#created(known?.cluster ?? randomHex(CLUSTER_BITS));
      if (!this.#waits) log.info("waiting for the node that has the data of this server");
      this.#waits = true;
      return undefined;
    }
    if (known) await removeState(directory);
    if (this.#hasData())
      throw new AppError(
        "refused",
        `the bucket holds a replication log already, and ${directory} has data of its own; to join, use an empty data directory; to start a log from this data, set another replication.prefix`,
      );
    return { cluster, seq: 0, hash: "", takeovers: [], files: "building" };
  }

  /** The state comes first: after a crash, this node must know its log. */
  async #created(cluster: string): Promise<LocalState | undefined> {
    const state: LocalState = { cluster, seq: 0, hash: "", takeovers: [], files: "exact" };
    await writeState(this.#deps.directory, state);
    return (await this.#deps.storage.create(CLUSTER, Buffer.from(cluster))) ? state : this.state();
  }

  #hasData(): boolean {
    const { directory, names } = this.#deps;
    return names.some((name) => existsSync(join(directory, name)));
  }
}
