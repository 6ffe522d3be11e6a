// One line for each answer: request id, method, route as declared, status, milliseconds. Never the address that was asked for nor a header:
// they may hold a name or a token.

import type { Log } from "../log.ts";
import type { Exchange } from "./exchange.ts";

/** `ms`: until the answer began. */
export type AccessLog = (
  exchange: Pick<Exchange, "id" | "method" | "route">,
  status: number,
  ms: number,
) => void;

/** `quiet`: routes that are asked all the time and say nothing; at debug level. */
export function accessLog(log: Log, quiet: readonly string[]): AccessLog {
  return ({ id, method, route = "none" }, status, ms) => {
    const level = quiet.includes(route) ? "debug" : "info";
    log[level]("answered", { request_id: id, method, route, status, ms: Math.round(ms * 100) / 100 });
  };
}
