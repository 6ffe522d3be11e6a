// The terminal interface over SSH: listens, limits who connects, and keeps track of the connections. Loaded only if `tui.ssh` is enabled.

import { hostname } from "node:os";
import { createServer, type Server as NetServer, type Socket } from "node:net";
import ssh2, { type Connection } from "ssh2";
import { Stretch, turnOfOthers, type Clock } from "../../kit/clock.ts";
import { AppError, messageOf, systemCode } from "../../kit/error.ts";
import { countedTogether } from "../../kit/http/client-address.ts";
import type { Log } from "../../kit/log.ts";
import { requestIds } from "../../kit/random.ts";
import { RateLimit } from "../../kit/http/rate.ts";
import { hostKeyPath } from "../config/directory.ts";
import type { AllowedKey, ServerConfig } from "../config/schema.ts";
import type { Events } from "../events/events.ts";
import { stranger, type Caller } from "../identity/caller.ts";
import type { Authentication } from "../people/authentication.ts";
import { AllowList, nameOfKey, type KeyChange } from "./allow-list.ts";
import { SshConnection } from "./connection.ts";
import { deskFor, type DeskParts } from "./desk.ts";
import { Gate } from "./gate.ts";
import { hostKeyAt } from "./host-key.ts";
import type { SshLimits } from "./limits.ts";
import { SignIn } from "./sign-in.ts";

const ALGORITHMS = {
  kex: ["curve25519-sha256", "curve25519-sha256@libssh.org", "ecdh-sha2-nistp256", "ecdh-sha2-nistp384"],
  cipher: ["aes256-gcm@openssh.com", "aes128-gcm@openssh.com", "aes256-ctr"],
  hmac: ["hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "hmac-sha2-256", "hmac-sha2-512"],
  // Nobody gets to send something that grows.
  compress: ["none"],
} as const;
const CLOSE_MS = 1_500;
/** Of one change, in the audit record. */
const KEYS_NAMED_MAX = 50;
/** Many frames of the largest screen. */
const UNREAD_BYTES_MAX = 4 * 1024 * 1024;

interface SshParts extends Omit<DeskParts, "gate"> {
  readonly config: ServerConfig;
  readonly authentication: Authentication;
  readonly events: Events;
  readonly clock: Clock;
  readonly log: Log;
  /** As of `Ground`. */
  readonly settled?: (() => Promise<void> | undefined) | undefined;
}

export class SshServer {
  readonly #parts: SshParts;
  readonly #limits: SshLimits;
  readonly #list: AllowList;
  readonly #protocol: InstanceType<typeof ssh2.Server>;
  readonly #net: NetServer;
  readonly #rate: RateLimit | undefined;
  readonly #nextId = requestIds();
  readonly #open = new Map<SshConnection, Socket>();
  readonly #unwatch: () => void;
  /** By peer, until they sign in or are gone. */
  readonly #strangers = new Map<string, Arrival>();
  readonly #place: string;
  readonly #gate: Gate;
  #isReviewing = false;
  #isReviewDue = false;
  #isClosed = false;
  #watch: Timer | undefined;
  readonly fingerprint: string;

  /** Raises what the host key raises. */
  constructor(parts: SshParts, limits: SshLimits) {
    const { config, authentication, clock, log } = parts;
    const hostKey = hostKeyAt(hostKeyPath(config));
    this.#parts = parts;
    this.#limits = limits;
    this.#gate = new Gate(parts.settled);
    this.#list = new AllowList({
      directory: config.directory,
      keys: config.ssh.keys,
      workers: parts.workers,
      clock,
      log,
      changed: (change) => this.#keysChanged(change),
    });
    this.#place = config.allowedHosts[0] ?? hostname();
    this.fingerprint = hostKey.fingerprint;
    const { enabled, authPerMinute } = config.rateLimit;
    this.#rate = enabled ? new RateLimit(clock, { perMinute: authPerMinute, of: "attempts" }) : undefined;
    const options = { hostKeys: [hostKey.text], ident: "Cairn", algorithms: ALGORITHMS };
    this.#protocol = new ssh2.Server(options, (connection, peer) => this.#connected(connection, peer));
    this.#protocol.on("error", (error) => this.#failed(error));
    this.#net = createServer((socket) => this.#arrived(socket));
    this.#unwatch = authentication.watch(() => this.#reviewSoon());
    this.#warnOfStrangers(config.ssh.keys);
  }

  #warnOfStrangers(keys: readonly AllowedKey[]): void {
    for (const { user } of keys)
      if (this.#parts.authentication.stateNamed(user) === "gone")
        this.#parts.log.warn("tui.ssh.keys names a user who does not exist", { user });
  }

  /** Each change is on record; a key that is gone ends its sessions. */
  #keysChanged({ added, removed }: KeyChange): void {
    const { audit } = this.#parts;
    for (const [action, keys] of [
      ["ssh.key.add", added],
      ["ssh.key.remove", removed],
    ] as const) {
      for (const key of keys.slice(0, KEYS_NAMED_MAX)) audit.record(null, { action, target: nameOfKey(key) });
      const rest = keys.length - KEYS_NAMED_MAX;
      if (rest > 0) audit.record(null, { action, target: `${rest} more` });
    }
    this.#warnOfStrangers(added.slice(0, KEYS_NAMED_MAX));
    for (const connection of this.#open.keys()) connection.reviewKey(this.#list);
  }

  /** Looks at the keys while someone is connected. */
  #watchKeys(): void {
    if (this.#isClosed) return;
    if (this.#open.size === 0) {
      clearInterval(this.#watch);
      this.#watch = undefined;
    } else this.#watch ??= setInterval(() => this.#refreshed(() => {}), this.#limits.lookMs);
  }

  #refreshed(then: () => void): void {
    const failed = (error: unknown) => this.#failed(error);
    this.#list.refresh().catch(failed).then(then).catch(failed);
  }

  /** Returns the port. Raises `conflict` if the address is in use, `invalid` if it is not of this machine. */
  async listen(): Promise<number> {
    const { host, port } = this.#parts.config.ssh;
    const listening = Promise.withResolvers<void>();
    this.#net.once("error", listening.reject);
    this.#net.listen(port, host, listening.resolve);
    try {
      await listening.promise;
    } catch (error) {
      this.#unwatch();
      throw bindError(`tui.ssh: listen ${host}:${port}`, error);
    }
    this.#net.off("error", listening.reject);
    this.#net.on("error", (error) => this.#failed(error));
    return (this.#net.address() as { port: number }).port;
  }

  /** Tells everyone, and waits a moment for it to arrive. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unwatch();
    clearInterval(this.#watch);
    this.#list.close();
    for (const { socket } of this.#strangers.values()) socket.destroy();
    const closed = Promise.withResolvers<void>();
    this.#net.close(() => closed.resolve());
    for (const connection of this.#open.keys()) connection.end("the server is stopping");
    const timer = setTimeout(() => {
      for (const socket of this.#open.values()) socket.destroy();
      closed.resolve();
    }, CLOSE_MS);
    await closed.promise;
    clearTimeout(timer);
    await this.#gate.close();
  }

  #arrived(socket: Socket): void {
    const address = (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
    const id = this.#nextId();
    socket.on("error", () => {});
    try {
      this.#rate?.take(countedTogether(address), (_, firstRefusal) => {
        if (firstRefusal) this.#recordRefusal({ name: "", address, id }, firstRefusal);
      });
    } catch {
      socket.destroy();
      return;
    }
    if (this.#strangers.size >= this.#limits.strangersMax) {
      this.#parts.log.warn(
        "terminal interface over SSH: too many connections have not signed in; closed one",
      );
      socket.destroy();
      return;
    }
    const place = placeOf(socket.remoteAddress, socket.remotePort);
    const timer = setTimeout(() => socket.destroy(), this.#limits.signInMs);
    this.#strangers.set(place, { socket, address, id, timer });
    socket.once("close", () => this.#noStranger(place));
    // A person waits for each key to be echoed.
    socket.setNoDelay(true);
    this.#refreshed(() => {
      if (!socket.destroyed && !this.#isClosed) this.#greet(socket);
    });
  }

  #greet(socket: Socket): void {
    this.#protocol.injectSocket(socket);
    // A client that asks and asks and reads no answer.
    socket.on("data", () => {
      if (socket.writableLength > UNREAD_BYTES_MAX) socket.destroy();
    });
  }

  #noStranger(place: string): void {
    clearTimeout(this.#strangers.get(place)?.timer);
    this.#strangers.delete(place);
  }

  #connected(protocol: Connection, { ip, port }: { ip: string; port: number }): void {
    const place = placeOf(ip, port);
    const arrival = this.#strangers.get(place);
    if (!arrival) return protocol.end();
    const { socket, address, id } = arrival;
    const about = { address: () => address, requestId: id };
    const signIn = new SignIn(this.#list, this.#parts.authentication, about);
    const connection = new SshConnection(protocol, {
      idleMs: this.#limits.idleMs,
      openMs: this.#limits.openMs,
      drop: () => socket.destroy(),
      signIn,
      desk: (caller) => deskFor({ ...this.#parts, gate: this.#gate }, caller, this.#place),
      admit: (caller) => this.#admit(caller),
      signedIn: (caller) => {
        this.#noStranger(place);
        this.#parts.audit.record(caller, { action: "auth.login", target: caller.name });
        this.#parts.events.announce({ type: "auth.login", actor: caller.name, data: { user: caller.name } });
      },
      refused: (caller, target, error) =>
        this.#parts.audit.record(caller, { action: "ssh.request", target }, error),
      failed: (error) => this.#failed(error),
    });
    this.#open.set(connection, socket);
    this.#watchKeys();
    socket.once("close", () => {
      this.#open.delete(connection);
      this.#watchKeys();
      connection.over();
      const { caller } = connection;
      if (caller) this.#parts.audit.record(caller, { action: "auth.logout", target: caller.name });
      else if (signIn.tried !== "")
        this.#recordRefusal({ name: signIn.name, address, id }, refusedTries(signIn));
    });
  }

  /** Raises `unavailable`. */
  #admit(caller: Caller): void {
    const { sessionsMax, sessionsPerUserMax } = this.#limits;
    const shells = [...this.#open.keys()].filter(({ hasShell }) => hasShell);
    const own = shells.filter((one) => one.caller?.name === caller.name);
    if (own.length >= sessionsPerUserMax)
      throw new AppError(
        "unavailable",
        `you have the ${sessionsPerUserMax} sessions that one user may have; close one first`,
      );
    if (shells.length >= sessionsMax)
      throw new AppError("unavailable", "the server has no free session; try again later");
  }

  #reviewSoon(): void {
    this.#isReviewDue = true;
    if (this.#isReviewing) return;
    this.#isReviewing = true;
    this.#review().catch((error: unknown) => this.#failed(error));
  }

  /** After the write that changed the users. Reading the rules of many people takes a while. */
  async #review(): Promise<void> {
    while (this.#isReviewDue) {
      this.#isReviewDue = false;
      await turnOfOthers();
      const stretch = new Stretch();
      for (const connection of this.#open.keys()) {
        connection.review();
        if (stretch.isOver()) await turnOfOthers();
      }
    }
    this.#isReviewing = false;
  }

  #failed(error: unknown): void {
    this.#parts.log.error("terminal interface over SSH", { error: messageOf(error) });
  }

  #recordRefusal({ name, address, id }: { name: string; address: string; id: string }, error: unknown): void {
    const caller = stranger(name, { address: () => address, requestId: id });
    this.#parts.audit.record(caller, { action: "auth.login", target: name }, error);
  }
}

function bindError(what: string, error: unknown): AppError {
  const code = systemCode(error);
  if (code === "EADDRINUSE")
    return new AppError(
      "conflict",
      `${what}: the address is already in use; stop the other program or choose another port`,
    );
  const nowhere = ["EADDRNOTAVAIL", "EINVAL", "ENOTFOUND"].includes(code ?? "");
  return new AppError(
    "invalid",
    `${what}: ${nowhere ? "not an address of this machine; choose another" : messageOf(error)}`,
  );
}

interface Arrival {
  readonly socket: Socket;
  readonly address: string;
  readonly id: string;
  readonly timer: Timer;
}

function placeOf(address: string | undefined, port: number | undefined): string {
  return `${address} ${port}`;
}

function refusedTries({ tried }: SignIn): AppError {
  return new AppError("unauthenticated", `refused: ${tried}`);
}
