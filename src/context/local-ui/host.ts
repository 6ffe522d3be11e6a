// Serves the pages of one local space to one browser of this machine: the listener, the checks before any page, the key, and the end after a time
// without use.

import { within } from "../../kit/concurrency/deadline.ts";
import { ownUser } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { isActivity, type Exchange } from "../../kit/http/exchange.ts";
import { listen, type Handle, type Listener } from "../../kit/http/serve.ts";
import type { Log } from "../../kit/log.ts";
import { hostOf, type LoopbackAddress } from "./address.ts";
import { ENTER_PATH } from "./door.ts";
import type { Entry } from "./entry.ts";
import { IDLE_HOURS } from "./limits.ts";

const IDLE_MS = IDLE_HOURS * 3_600_000;
const FORMS = ["/console/"];
/** Requests that take longer are cut off at the end. */
const DRAIN_MS = 2_000;

interface UiOptions {
  readonly address: LoopbackAddress;
  /** 0: a free one. */
  readonly port: number;
  readonly entry: Entry;
  readonly pages: Handle;
  readonly log: Log;
  /** Only tests override it. */
  readonly idleMs?: number;
}

export interface RunningUi {
  readonly port: number;
  /** Returns an address with a new key; the one before no longer works. */
  newAddress(): string;
  /** Resolves once no page was opened for a long time. */
  readonly idle: Promise<void>;
  stop(): Promise<void>;
}

/** Raises `conflict` if the port is in use. */
export function serveUi(options: UiOptions): RunningUi {
  const { address, port, entry, pages, log, idleMs = IDLE_MS } = options;
  const idle = Promise.withResolvers<void>();
  const timer = setTimeout(idle.resolve, idleMs);
  let host = "";
  const handle: Handle = (request, exchange) => {
    requireOwnHost(exchange, host);
    requireDirect(exchange);
    requireOwnUser(exchange);
    if (isActivity(exchange)) timer.refresh();
    if (exchange.path === "/") return Response.redirect("/console", 303);
    return pages(request, exchange);
  };
  const listener: Listener = listen(
    { host: address, port, loopbackAdmin: false, allowedHosts: [], formFolders: FORMS },
    handle,
    log,
  );
  host = hostOf(address, listener.port);
  return {
    port: listener.port,
    newAddress: () => `http://${host}${ENTER_PATH}?key=${entry.newKey()}`,
    idle: idle.promise,
    async stop() {
      clearTimeout(timer);
      await within(DRAIN_MS, listener.drain());
      await listener.close();
    },
  };
}

/** Only the address that was printed: the guard would also accept the other names of this machine, and a name can be made to point anywhere. */
function requireOwnHost({ headers }: Exchange, host: string): void {
  if (headers["host"]?.toLowerCase() === host) return;
  throw new AppError("misdirected", `cairn ui answers at http://${host} only`);
}

function requireDirect(exchange: Exchange): void {
  if (exchange.isDirectLocal()) return;
  throw new AppError("forbidden", "cairn ui answers browsers on this machine only, without a proxy");
}

const ROOT = 0;

/**
 * On a machine with several users, another one can see the address in the list of processes while it is opened, or get the cookie by a page of
 * their own at another port. Root can do everything anyway, and forwards connections for containers and virtual machines.
 */
function requireOwnUser(exchange: Exchange): void {
  const user = ownUser();
  if (user === undefined || user === ROOT) return;
  const owner = exchange.peerOwner();
  if (owner === undefined || owner === user || owner === ROOT) return;
  throw new AppError("forbidden", "cairn ui answers programs of the user who started it only");
}
