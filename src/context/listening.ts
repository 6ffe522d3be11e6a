// The address of a running server: one address at a time, told to everything that needs it. The setup can move it to another address without a
// restart; if nothing can listen there after all, it comes back.

import { messageOf } from "../kit/error.ts";
import { accessLog } from "../kit/http/access-log.ts";
import { listen, type Handle, type Listener } from "../kit/http/serve.ts";
import type { Log } from "../kit/log.ts";
import { version } from "../kit/version.ts";
import { readTls, validity, type Tls } from "./config/tls-files.ts";
import type { Parts } from "./parts.ts";
import { LocalDoor } from "./people/local-door.ts";
import { FORM_FOLDERS } from "./server.ts";
import type { Listen } from "./setup/setup.ts";

const LOCAL: Listen = { host: "127.0.0.1", port: 0 };
const QUIET_ROUTES = ["/health", "/api/v1/health"];

export class Listening {
  readonly #parts: Parts;
  readonly #log: Log;
  readonly #handle: Handle;
  readonly #door: LocalDoor;
  readonly #tls: Tls | undefined;
  #listener: Listener;
  /** Plain HTTP on loopback, for commands on this machine, whatever names the certificate has. Undefined without TLS: they use the listener. */
  #local: Listener | undefined;

  /** Raises what the bind raises. */
  constructor(parts: Parts, log: Log, handle: Handle, where: Listen) {
    this.#parts = parts;
    this.#log = log;
    this.#handle = handle;
    this.#door = new LocalDoor(parts.config.directory);
    this.#tls = readTls(parts.config);
    this.#listener = this.#bound(where, this.#tls);
    if (!this.#tls) return;
    const { problem } = validity(this.#tls, parts.clock.now());
    if (problem !== undefined)
      log.warn(`${problem}; clients refuse it`, { file: parts.config.tls!.certFile });
    try {
      this.#local = this.#bound(LOCAL, undefined);
    } catch (error) {
      void this.#listener.close();
      throw error;
    }
  }

  get url(): string {
    return this.#listener.url;
  }

  get port(): number {
    return this.#listener.port;
  }

  /** Tells programs on this machine where the server is. */
  announce(): void {
    const { authentication, config, listener } = this.#parts;
    listener.port = this.port;
    listener.localPort = this.#local?.port;
    authentication.openLocalDoor(
      this.#door.open(this.#local?.url ?? this.url, this.#local && this.url),
      this.#door.name,
    );
    this.#log.info("listening", { url: this.url, version: version.version, data: config.directory });
  }

  /** Answers the open requests first. `back`: where it listens now. */
  async moveTo(where: Listen, back: Listen): Promise<void> {
    await this.#listener.drain();
    try {
      this.#listener = this.#bound(where, this.#tls);
    } catch (error) {
      this.#log.error("cannot listen at the new address", { error: messageOf(error) });
      this.#listener = this.#bound(back, this.#tls);
    }
    this.announce();
  }

  async drain(): Promise<void> {
    await Promise.all([this.#listener.drain(), this.#local?.drain()]);
  }

  async close(): Promise<void> {
    await Promise.all([this.#listener.close(), this.#local?.close()]);
    this.#door.close();
  }

  #bound({ host, port }: Listen, tls: Tls | undefined): Listener {
    const { config, metrics, spans } = this.#parts;
    const { allowedHosts } = config;
    const counting = metrics.watch(accessLog(this.#log, QUIET_ROUTES));
    const watch = spans?.watch(counting) ?? counting;
    const options = { host, port, loopbackAdmin: false, allowedHosts, formFolders: FORM_FOLDERS, watch, tls };
    return listen(options, this.#handle, this.#log);
  }
}
