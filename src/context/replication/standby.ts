// The listener of a node that does not lead: it tells its health, so that a proxy sends nobody here, and refuses those who come anyway. Commands on
// this machine recognize the server by its local door.

import { SECOND_MS, type Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/error.ts";
import { accessLog } from "../../kit/http/access-log.ts";
import { AddressList } from "../../kit/http/client-address.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import { listen, type Listener } from "../../kit/http/serve.ts";
import type { Log } from "../../kit/log.ts";
import { metricsAnswer } from "../../kit/metrics/metrics-answer.ts";
import { Metrics } from "../../kit/metrics/metrics.ts";
import type { Follower } from "../../kit/replication/follower.ts";
import { version } from "../../kit/version.ts";
import { STANDBY, type StandbyFacts } from "../client/server-health.ts";
import { answeredHosts } from "../config/answered-hosts.ts";
import type { ServerConfig } from "../config/schema.ts";
import { readTls, type Tls } from "../config/tls-files.ts";
import { LOCAL, LocalDoor } from "../people/local-door.ts";
import { HEALTH_ROUTES, unreadyAnswer } from "../people/starting-door.ts";
import { followerReadings } from "./readings.ts";

interface StandbyDeps {
  readonly config: ServerConfig;
  /** Its name. */
  readonly node: string;
  readonly port: number;
  readonly follower: Follower;
  readonly clock: Clock;
  readonly log: Log;
}

export class Standby {
  readonly #deps: StandbyDeps;
  readonly #door: LocalDoor;
  readonly #token: string;
  readonly #listener: Listener;
  /** As that of the leader: plain HTTP on loopback, for commands on this machine. Undefined without TLS. */
  readonly #local: Listener | undefined;
  readonly #metrics: Metrics;
  readonly #metricsFor: AddressList;

  /** Raises what the bind raises. */
  constructor(deps: StandbyDeps) {
    const { config, port, follower, clock, log } = (this.#deps = deps);
    const { listen: where } = config;
    this.#metricsFor = new AddressList("metrics.allow", config.metricsAllow);
    this.#metrics = new Metrics({
      readings: followerReadings(follower),
      build: { version: version.version, commit: version.commit },
      elapsed: () => clock.elapsed(),
    });
    const watch = this.#metrics.watch(accessLog(log, HEALTH_ROUTES));
    const bound = (at: ServerConfig["listen"], tls?: Tls) => {
      const allowedHosts = answeredHosts(config, at.host);
      const options = { ...at, loopbackAdmin: false, allowedHosts, tls, watch };
      return listen(options, (_request, exchange) => this.#answer(exchange), log);
    };
    const tls = readTls(config);
    this.#listener = bound({ host: where.host, port }, tls);
    try {
      this.#local = tls && bound(LOCAL);
      this.#door = new LocalDoor(config.directory);
      this.#token = this.#door.open({
        url: this.#local?.url ?? this.url,
        public_url: this.#local && this.url,
        node: { name: deps.node, role: "standby" },
      });
    } catch (error) {
      for (const listener of this.#listeners()) void listener.close();
      throw error;
    }
  }

  get url(): string {
    return this.#listener.url;
  }

  get port(): number {
    return this.#listener.port;
  }

  async close(): Promise<void> {
    const listeners = this.#listeners();
    await Promise.all(listeners.map((listener) => listener.drain()));
    await Promise.all(listeners.map((listener) => listener.close()));
    this.#door.close();
  }

  #listeners(): Listener[] {
    return [this.#listener, ...(this.#local ? [this.#local] : [])];
  }

  #facts(): StandbyFacts {
    const { follower } = this.#deps;
    const { leader = null, position: entry = null, leaderPosition = null, problem = null } = follower;
    const silent = Math.floor(follower.silentMs / SECOND_MS);
    return { leader, entry, leader_entry: leaderPosition, silent_seconds: silent, problem };
  }

  #answer(exchange: Exchange): Response {
    const { path } = exchange;
    if (path === "/metrics")
      return metricsAnswer({ metrics: this.#metrics, metricsFor: this.#metricsFor }, exchange);
    if (HEALTH_ROUTES.includes(path)) exchange.route = path;
    const answer = unreadyAnswer(exchange, { status: STANDBY, token: this.#token, facts: this.#facts() });
    if (answer) return answer;
    const { leader } = this.#deps.follower;
    throw new AppError(
      "unavailable",
      leader === undefined
        ? "this node is on standby, and no node leads at the moment; try again shortly"
        : `this node is on standby; the node "${leader}" leads, so use the address of the proxy or of that node`,
      { reason: "standby" },
    );
  }
}
