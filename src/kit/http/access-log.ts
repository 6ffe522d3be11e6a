// Logs one line per answer: request id, method, declared route, status, milliseconds. Never the requested path or a header, which may contain a
// name or a token.

import type { Log } from "../log.ts";
import type { Exchange } from "./exchange.ts";

/** `ms` is the time until the answer began. */
export type AccessLog = (
  exchange: Pick<Exchange, "id" | "method" | "route">,
  status: number,
  ms: number,
) => void;

/** `quiet` lists frequently polled routes, logged at debug level. */
export function accessLog(log: Log, quiet: readonly string[]): AccessLog {
  return ({ id, method, route = "none" }, status, ms) => {
    const level = quiet.includes(route) ? "debug" : "info";
    log[level]("answered", { request_id: id, method, route, status, ms: Math.round(ms * 100) / 100 });
  };
}
