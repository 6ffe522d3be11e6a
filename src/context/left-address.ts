// The address of a server before its setup moved it. For some minutes it leads the tabs that are open there to the new one, where they would otherwise
// show an error of the browser. Only on this machine: nothing stays open to the network.

import { MINUTE_MS, systemTimers, type Timers } from "../kit/clock.ts";
import { AppError, messageOf } from "../kit/error.ts";
import { SECURITY_HEADERS } from "../kit/http/answer.ts";
import type { Exchange } from "../kit/http/exchange.ts";
import { isApi, isLoopbackAddress } from "../kit/http/guard.ts";
import { listen, type Listener } from "../kit/http/serve.ts";
import type { Log } from "../kit/log.ts";
import { EVERY_ADDRESS, EVERY_IPV4_ADDRESS } from "../kit/network/hosts.ts";
import type { Tls } from "./config/tls-files.ts";
import type { Listen } from "./setup/setup.ts";

const LEADS_FOR_MS = 10 * MINUTE_MS;
const EVERY = [EVERY_ADDRESS, EVERY_IPV4_ADDRESS];

interface Move {
  readonly from: Listen;
  readonly to: Listen;
  /** The new address, for browsers on this machine. */
  readonly url: string;
  readonly tls: Tls | undefined;
  readonly formFolders: readonly string[];
}

/** Undefined if nothing has to lead there, or nothing can. */
export function leadFrom(move: Move, log: Log, timers: Timers = systemTimers): Listener | undefined {
  const { from, to, tls, formFolders } = move;
  const isTheSame = from.port === to.port && EVERY.includes(to.host);
  if (isTheSame || !isLoopbackAddress(from.host)) return undefined;
  const options = {
    host: from.host,
    port: from.port,
    loopbackAdmin: false,
    allowedHosts: [],
    formFolders,
    tls,
  };
  try {
    const listener = listen(options, (_, exchange) => answer(exchange, move.url), log);
    const cancel = timers.after(LEADS_FOR_MS, () => void listener.close());
    return {
      ...listener,
      async close() {
        cancel();
        await listener.close();
      },
    };
  } catch (error) {
    log.debug("cannot lead to the new address from the former one", { error: messageOf(error) });
    return undefined;
  }
}

/** The policy of the setup's pages keeps browsers from following a form to another address, so a form gets a page. */
function answer(exchange: Exchange, url: string): Response | Promise<Response> {
  if (isApi(exchange.path)) throw new AppError("not_found", `this server has moved to ${url}`);
  if (exchange.method !== "GET")
    return import("./setup/setup-routes.ts").then(({ setupOver }) => setupOver(exchange, url));
  const headers = { ...SECURITY_HEADERS, "Cache-Control": "no-store", "X-Request-Id": exchange.id };
  return new Response(null, { status: 303, headers: { ...headers, Location: `${url}/console` } });
}
