// The local door of a process that serves nobody yet: a server that starts, or a node that changes its role. Commands on this machine learn from it that
// the process has the data, and whom to stop. It is only on loopback: for everybody else, nothing listens.

import { isSameSecret } from "../../kit/crypto.ts";
import { AppError } from "../../kit/error.ts";
import { answerJson } from "../../kit/http/answer.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import { listen, type Listener } from "../../kit/http/serve.ts";
import type { Log } from "../../kit/log.ts";
import { version } from "../../kit/version.ts";
import { STARTING } from "../client/server-health.ts";
import { LOCAL, LocalDoor } from "./local-door.ts";

export const HEALTH_ROUTES = ["/health", "/api/v1/health"];
export const WHOAMI_ROUTE = "/api/v1/auth/whoami";
const UNAVAILABLE = 503;

interface Unready {
  /** Of its health. */
  readonly status: string;
  /** Of the local door. */
  readonly token: string;
  /** Told to the owner of the local door. */
  readonly facts?: object;
}

/** Returns what a process answers that serves nobody: its health to everybody, and its facts to the local door. Undefined for all other requests. */
export function unreadyAnswer(
  exchange: Exchange,
  { status, token, facts = {} }: Unready,
): Response | undefined {
  const { id, path, headers } = exchange;
  if (HEALTH_ROUTES.includes(path)) return unreadyHealth(exchange, status);
  const isDoor = path === WHOAMI_ROUTE && isSameSecret(headers["authorization"] ?? "", `Bearer ${token}`);
  return isDoor ? answerJson(id, 200, facts) : undefined;
}

export function unreadyHealth({ id }: Exchange, status: string): Response {
  return answerJson(id, UNAVAILABLE, { status, version: version.version, problems: [] });
}

export class StartingDoor {
  readonly #door: LocalDoor;
  readonly #listener: Listener;

  /** Only for the process that has the lock of the data. Raises errors of the disk and of the bind. */
  constructor(directory: string, log: Log) {
    this.#door = new LocalDoor(directory);
    let token = "";
    const options = { ...LOCAL, loopbackAdmin: false, allowedHosts: [] };
    const answer = (_: Request, exchange: Exchange) => {
      const known = unreadyAnswer(exchange, { status: STARTING, token });
      if (known) return known;
      throw new AppError("unavailable", "the server is starting; try again shortly", { reason: STARTING });
    };
    this.#listener = listen(options, answer, log);
    try {
      token = this.#door.open({ url: this.#listener.url, starting: true });
    } catch (error) {
      void this.#listener.close();
      throw error;
    }
  }

  /** Called when another door has taken its place, or none will. */
  async close(): Promise<void> {
    this.#door.close();
    await this.#listener.drain();
    await this.#listener.close();
  }
}
