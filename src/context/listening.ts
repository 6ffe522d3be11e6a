// The address of a running server: one address at a time, told to everything that needs it. The setup can move it to another address without a
// restart; if nothing can listen there after all, it comes back.

import { messageOf } from "../kit/error.ts";
import { accessLog } from "../kit/http/access-log.ts";
import { listen, type Handle, type Listener } from "../kit/http/serve.ts";
import type { Log } from "../kit/log.ts";
import { version } from "../kit/version.ts";
import { answeredHosts } from "./config/answered-hosts.ts";
import { validity, type Tls } from "./config/tls-files.ts";
import type { Parts } from "./parts.ts";
import { LOCAL, LocalDoor } from "./people/local-door.ts";
import { FORM_FOLDERS } from "./server.ts";
import { leadFrom } from "./left-address.ts";
import type { Listen } from "./setup/setup.ts";

const QUIET_ROUTES = ["/health", "/api/v1/health"];

export class Listening {
  readonly #parts: Parts;
  readonly #log: Log;
  readonly #handle: Handle;
  readonly #door: LocalDoor;
  #tls: Tls | undefined;
  #where: Listen;
  /** Listeners of earlier certificates and of the former address, while they still answer requests. */
  readonly #retiring = new Set<Listener>();
  #listener: Listener;
  /** Plain HTTP on loopback, for commands on this machine, whatever names the certificate has. Undefined without TLS: they use the listener. */
  #local: Listener | undefined;
  /** Leads to this server from its address before the setup moved it. */
  #left: Listener | undefined;

  /** Without `tls`: plain HTTP. Raises what the bind raises. */
  constructor(parts: Parts, log: Log, handle: Handle, where: Listen & { readonly tls: Tls | undefined }) {
    this.#parts = parts;
    this.#log = log;
    this.#handle = handle;
    this.#door = new LocalDoor(parts.config.directory);
    this.#tls = where.tls;
    this.#where = where;
    this.#listener = this.#bound(where, this.#tls);
    if (!this.#tls) return;
    const { acme, certFile } = parts.config.tls!;
    const problem = acme ? undefined : validity(this.#tls, parts.clock.now()).problem;
    if (problem !== undefined) log.warn(`${problem}; clients refuse it`, { file: certFile });
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
    const { replication } = config;
    const token = this.#door.open({
      url: this.#local?.url ?? this.url,
      public_url: this.#local && this.url,
      node: replication && { name: replication.node, role: "leader" },
    });
    authentication.openLocalDoor(token, this.#door.name);
    this.#log.info("listening", { url: this.url, version: version.version, data: config.directory });
  }

  /** Open requests are answered at the former address, however long they take. `back`: where it listens now. */
  async moveTo(where: Listen, back: Listen): Promise<void> {
    const drained = this.#retire(this.#listener);
    try {
      this.#listener = this.#bound((this.#where = where), this.#tls);
      const move = { from: back, to: where, url: this.url, tls: this.#tls, formFolders: FORM_FOLDERS };
      this.#left = leadFrom(move, this.#log);
    } catch (error) {
      this.#log.error("cannot listen at the new address", { error: messageOf(error) });
      this.#listener = this.#bound((this.#where = back), this.#tls);
    }
    this.announce();
    await drained;
  }

  /**
   * Serves another certificate to new connections. Bun cannot exchange the certificate of a listener, so a new one takes its port in the same turn of
   * the event loop. Open requests and streams go on; idle connections and unfinished handshakes end, and their clients connect again. Raises what the
   * bind raises, and then keeps the former certificate.
   */
  renew(tls: Tls): void {
    const former = this.#tls;
    this.#tls = tls;
    const place = { host: this.#where.host, port: this.port };
    void this.#retire(this.#listener);
    try {
      this.#listener = this.#bound(place, tls);
    } catch (error) {
      this.#tls = former;
      this.#listener = this.#bound(place, former);
      throw error;
    }
  }

  /** Its port is free at once. Resolves when its open requests are answered. */
  async #retire(listener: Listener): Promise<void> {
    this.#retiring.add(listener);
    await listener.drain();
    this.#retiring.delete(listener);
  }

  async drain(): Promise<void> {
    await Promise.all(this.#all().map((listener) => listener.drain()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map((listener) => listener.close()));
    this.#door.close();
  }

  #all(): Listener[] {
    return [
      this.#listener,
      ...this.#retiring,
      ...[this.#local, this.#left].filter((one) => one !== undefined),
    ];
  }

  #bound({ host, port }: Listen, tls: Tls | undefined): Listener {
    const { config, metrics, spans } = this.#parts;
    const allowedHosts = answeredHosts(config, host);
    const counting = metrics.watch(accessLog(this.#log, QUIET_ROUTES));
    const watch = spans?.watch(counting) ?? counting;
    const options = { host, port, loopbackAdmin: false, allowedHosts, formFolders: FORM_FOLDERS, watch, tls };
    return listen(options, this.#handle, this.#log);
  }
}
