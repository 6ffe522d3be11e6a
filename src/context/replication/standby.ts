// The listener of a node that does not lead: it tells its health, so that a proxy sends nobody here, and refuses those who come anyway. Commands on
// this machine recognize the server by its local door.

import { isSameSecret } from "../../kit/crypto.ts";
import { AppError } from "../../kit/error.ts";
import { answerJson } from "../../kit/http/answer.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import { listen, type Listener } from "../../kit/http/serve.ts";
import type { Log } from "../../kit/log.ts";
import { version } from "../../kit/version.ts";
import type { ServerConfig } from "../config/schema.ts";
import { readTls } from "../config/tls-files.ts";
import { LocalDoor } from "../people/local-door.ts";

const HEALTH = ["/health", "/api/v1/health"];
const WHOAMI = "/api/v1/auth/whoami";
const UNAVAILABLE = 503;

interface StandbyDeps {
  readonly config: ServerConfig;
  readonly port: number;
  /** Returns the name of the node that leads; undefined: none does, as far as known. */
  readonly leader: () => string | undefined;
  readonly log: Log;
}

export class Standby {
  readonly #deps: StandbyDeps;
  readonly #door: LocalDoor;
  readonly #token: string;
  readonly #listener: Listener;

  /** Raises what the bind raises. */
  constructor(deps: StandbyDeps) {
    const { config, port, log } = (this.#deps = deps);
    const { listen: where, allowedHosts } = config;
    const options = { host: where.host, port, loopbackAdmin: false, allowedHosts, tls: readTls(config) };
    this.#listener = listen(options, (_request, exchange) => this.#answer(exchange), log);
    this.#door = new LocalDoor(config.directory);
    this.#token = this.#door.open(this.#listener.url);
  }

  get url(): string {
    return this.#listener.url;
  }

  get port(): number {
    return this.#listener.port;
  }

  async close(): Promise<void> {
    await this.#listener.drain();
    await this.#listener.close();
    this.#door.close();
  }

  #answer({ id, path, headers }: Exchange): Response {
    if (HEALTH.includes(path))
      return answerJson(id, UNAVAILABLE, { status: "standby", version: version.version, problems: [] });
    if (path === WHOAMI && isSameSecret(headers["authorization"] ?? "", `Bearer ${this.#token}`))
      return answerJson(id, 200, {});
    const leader = this.#deps.leader();
    throw new AppError(
      "unavailable",
      leader === undefined
        ? "this node is on standby, and no node leads at the moment; try again shortly"
        : `this node is on standby; the node "${leader}" leads, so use the address of the proxy or of that node`,
      { reason: "standby" },
    );
  }
}
