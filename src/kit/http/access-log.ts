// One line for each answer: request id, method, route as declared, status, milliseconds. Never the address that was asked for nor a header:
// they may hold a name or a token.

import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Watch } from "./serve.ts";

/** `quiet`: routes that are asked all the time and say nothing; at debug level. */
export function accessLog(log: Log, clock: Clock, quiet: readonly string[]): Watch {
  return (id, method) => {
    const start = clock.elapsed();
    return (route, status) => {
      const ms = Math.round((clock.elapsed() - start) * 100) / 100;
      const level = route !== undefined && quiet.includes(route) ? "debug" : "info";
      log[level]("answered", { request_id: id, method, route: route ?? "none", status, ms });
    };
  };
}
