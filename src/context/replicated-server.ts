// Runs one of several nodes that share a server's data through an object storage. A node follows the log of the one that leads, and answers nobody.
// When the leader is gone, one of the others takes over and becomes the server. A node that no longer leads follows again.

import { join } from "node:path";
import { SECOND_MS, systemClock, systemTimers } from "../kit/clock.ts";
import { untilAborted } from "../kit/concurrency/deadline.ts";
import type { Environment } from "../kit/environment.ts";
import { messageOf } from "../kit/error.ts";
import { createLog, type OpenLog } from "../kit/log.ts";
import { Histogram } from "../kit/metrics/histogram.ts";
import { COMMIT_SECONDS } from "../kit/metrics/metrics.ts";
import { bucketOf } from "../kit/object-storage/bucket.ts";
import { STORAGE_VARIABLES } from "../kit/object-storage/config.ts";
import { requireConditionalCreate, type ObjectStorage } from "../kit/object-storage/object-storage.ts";
import { TIMING, type Timing } from "../kit/replication/beat.ts";
import { markFiles } from "../kit/replication/file-marks.ts";
import { Follower, type Takeover } from "../kit/replication/follower.ts";
import { Leader, type Loss, type Position } from "../kit/replication/leader.ts";
import { settleState } from "../kit/replication/local-state.ts";
import { openDatabase, type Db } from "../kit/storage/db.ts";
import { loadServerConfig } from "./config/config.ts";
import type { ServerConfig } from "./config/schema.ts";
import { requireReadable } from "./migrations/known-history.ts";
import { NODE_LOCK, startOpen, type OpenOptions, type RunningServer } from "./main.ts";
import { engineOf } from "./parts.ts";
import { StartingDoor } from "./people/starting-door.ts";
import { COPIED_NAMES, copiedFiles, holdsWal, SERVER_DATABASE } from "./replication/copied-files.ts";
import { copyingBy } from "./replication/copying.ts";
import { SharedKey } from "./replication/shared-key.ts";
import { StartBeating } from "./replication/start-beats.ts";
import { Snapshots } from "./replication/snapshots.ts";
import { Standby } from "./replication/standby.ts";
import { bringTrees, spacesOf } from "./replication/trees.ts";

interface ReplicatedOptions extends OpenOptions {
  readonly port?: number;
  /** Has the credentials of the object storage. */
  readonly environment: Environment;
  /** For tests. */
  readonly timing?: Timing;
}

export interface ReplicatedServer extends RunningServer {
  readonly isLeading: boolean;
  /** Rejects when this node can neither lead nor follow; it has stopped then. */
  readonly failed: Promise<never>;
}

/**
 * Starts on standby. Raises `refused` or `unavailable` for an object storage that cannot be used, `conflict` while another process uses the data
 * directory, and what the bind raises.
 */
export async function startReplicated(options: ReplicatedOptions): Promise<ReplicatedServer> {
  const { directory, environment } = options;
  const config = loadServerConfig(directory);
  if (!config.replication) throw new Error("this server has one node");
  const log = createLog({ ...options.log, level: config.logLevel, clock: options.clock ?? systemClock });
  const storage = bucketOf("replication", config.replication, environment);
  const lock = openDatabase(join(directory, NODE_LOCK));
  let door: StartingDoor | undefined;
  try {
    door = new StartingDoor(directory, log);
    await requireConditionalCreate(storage);
    // Also later, when the first node leaves the check. Now, so that a start in the background says it.
    await new SharedKey(storage, config).require();
    return running(new Node(options, { config, name: config.replication.node, storage, log }), lock);
  } catch (error) {
    lock.close();
    throw error;
  } finally {
    await door?.close();
  }
}

function running(node: Node, lock: Db): ReplicatedServer {
  const ended = node.run().finally(() => lock.close());
  const failed = Promise.withResolvers<never>();
  ended.catch(failed.reject);
  failed.promise.catch(() => {});
  return {
    get url() {
      return node.url;
    },
    get port() {
      return node.port;
    },
    get isLeading() {
      return node.isLeading;
    },
    failed: failed.promise,
    stop(reason) {
      node.stop(reason);
      return ended;
    },
  };
}

interface NodeParts {
  readonly config: ServerConfig;
  readonly name: string;
  readonly storage: ObjectStorage;
  readonly log: OpenLog;
}

class Node {
  readonly #options: ReplicatedOptions;
  readonly #parts: NodeParts;
  /** Both a leader and a follower need these. */
  readonly #common;
  readonly #stopped = new AbortController();
  #port: number;
  #url = "";
  #following: { readonly standby: Standby; readonly follower: Follower };
  #server: RunningServer | undefined;
  #between: StartingDoor | undefined;

  /** Raises what the bind raises. */
  constructor(options: ReplicatedOptions, parts: NodeParts) {
    this.#options = options;
    this.#parts = parts;
    const { timing = TIMING, clock = systemClock, timers = systemTimers } = options;
    this.#common = { storage: parts.storage, node: parts.name, timing, clock, timers, log: parts.log };
    this.#port = options.port ?? parts.config.listen.port;
    this.#following = this.#stoodBy();
  }

  get url(): string {
    return this.#server?.url ?? this.#url;
  }

  get port(): number {
    return this.#port;
  }

  get isLeading(): boolean {
    return this.#server !== undefined;
  }

  stop(reason: string): void {
    if (!this.#server) this.#parts.log.info("stopping", { reason });
    this.#stopped.abort(reason);
  }

  /** Until it is stopped. Raises what keeps this node from leading and following. */
  async run(): Promise<void> {
    const { signal } = this.#stopped;
    try {
      for (;;) {
        const taken = await this.#follow(signal);
        if (taken) await this.#lead(taken);
        if (signal.aborted) return this.#parts.log.flush();
        this.#following = this.#stoodBy();
        await this.#between?.close();
      }
    } finally {
      await this.#between?.close();
    }
  }

  async #follow(signal: AbortSignal): Promise<Takeover | undefined> {
    const { follower, standby } = this.#following;
    try {
      const taken = await follower.follow(signal);
      if (taken) this.#serveNobody();
      return taken;
    } finally {
      await standby.close();
    }
  }

  /** Keeps the local door while this node changes its role. Without it, commands on this machine wait for the next role. */
  #serveNobody(): void {
    const { config, log } = this.#parts;
    try {
      this.#between = new StartingDoor(config.directory, log);
    } catch (error) {
      log.warn("cannot tell commands on this machine that the node changes its role", {
        error: messageOf(error),
      });
    }
  }

  #stoodBy() {
    const { config, name, storage, log } = this.#parts;
    const { directory } = config;
    const key = new SharedKey(storage, config);
    const deps = { directory, engine: engineOf(config), clock: this.#common.clock, log };
    const follower = new Follower({
      ...this.#common,
      directory,
      names: COPIED_NAMES,
      files: () => copiedFiles(directory, deps.engine),
      prepare: async (files, signal) => {
        await key.require();
        if (files?.has(SERVER_DATABASE) !== false) await requireReadable(join(directory, SERVER_DATABASE));
        await bringTrees(deps, files && spacesOf(files), signal);
      },
    });
    const standby = new Standby({
      config,
      node: name,
      port: this.#port,
      follower,
      clock: this.#common.clock,
      log,
    });
    this.#port = standby.port;
    this.#url = standby.url;
    log.info("on standby", { url: standby.url, node: name, data: directory });
    return { follower, standby };
  }

  async #lead({ position, marks, term, begun, takeovers, snapshot }: Takeover): Promise<void> {
    const { config, name, storage, log } = this.#parts;
    const { directory } = config;
    log.info("this node leads", { node: name, entry: position.seq });
    const appends = new Histogram(COMMIT_SECONDS);
    const onAppend = (ms: number) => appends.observe(ms / SECOND_MS);
    const beating = this.#beating(term, position);
    const onSilent = () => beating.end();
    const leader = new Leader({ ...this.#common, term, position, begun, onAppend, onSilent });
    try {
      const engine = engineOf(config);
      const copying = copyingBy({ leader, directory, engine, appends });
      const options = { ...this.#options, port: this.#port, copying };
      const { opened, running: server, caughtUp } = await startOpen(options);
      this.#server = server;
      const stopBeating = () => beating.stop();
      opened.parts.background.run("heartbeats until all spaces are open", () =>
        caughtUp.then(stopBeating, stopBeating),
      );
      const restoreKeyCheck = () => new SharedKey(storage, config).require();
      const found = { takeovers, marks, hasOne: snapshot !== undefined };
      const facts = { directory, engine, leader, storage, restoreKeyCheck, ...found };
      const snapshots = new Snapshots({ ...opened.parts, ...facts, timers: this.#common.timers });
      let loss: Loss | undefined;
      try {
        await this.#between?.close();
        snapshots.start();
        loss = await this.#ended(leader);
        if (loss) this.#serveNobody();
      } finally {
        // Whatever was raised: a node that does not lead answers nobody.
        await snapshots.stop();
        await server.stop(
          loss ? "this node no longer leads" : String(this.#stopped.signal.reason ?? "a failure"),
        );
      }
      await beating.stop();
      if (!loss) await this.#handOver(leader);
    } finally {
      this.#server = undefined;
      leader.abandon();
      await beating.stop();
    }
  }

  #beating(term: string, { seq: position }: Position): StartBeating {
    const { config, name: node, log } = this.#parts;
    const { timing, timers } = this.#common;
    const { beatEvery } = timing;
    const environment = Object.fromEntries(
      STORAGE_VARIABLES.map((key) => [key, this.#options.environment[key]]),
    );
    const beats = { bucket: config.replication!, environment, node, term, position, beatEvery };
    return new StartBeating(beats, timers, log);
  }

  /** Undefined: it is to stop. */
  async #ended(leader: Leader): Promise<Loss | undefined> {
    if (await untilAborted(this.#stopped.signal, leader.lost)) {
      leader.hurry();
      return undefined;
    }
    const loss = await leader.lost;
    this.#parts.log.error("this node no longer leads", { reason: loss.reason, why: loss.message });
    return loss;
  }

  /** Called when everything is closed. If it fails, this node copies the data again at its next start. */
  async #handOver(leader: Leader): Promise<void> {
    const { config } = this.#parts;
    const { directory } = config;
    try {
      await leader.release();
      if (holdsWal(directory)) return;
      await settleState(directory, leader.position);
      const files = () => copiedFiles(directory, engineOf(config));
      await markFiles({ directory, files }, leader.position);
    } catch (error) {
      this.#parts.log.warn("cannot hand over to another node", { error: messageOf(error) });
    }
  }
}
