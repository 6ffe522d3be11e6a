// Answers `/metrics` of a server that strangers may reach.

import { AppError } from "../error.ts";
import type { AddressList } from "../http/client-address.ts";
import type { Exchange } from "../http/exchange.ts";
import { isLoopbackPeer } from "../http/guard.ts";
import { unknownQuery, wrongMethod } from "../http/route-table.ts";
import type { Metrics } from "./metrics.ts";

interface Offered {
  readonly metrics: Metrics;
  /** The addresses that may read them. */
  readonly metricsFor: AddressList;
}

/**
 * Decides by the address of the peer and ignores forwarding headers. A proxy on this machine also connects from loopback, so a loopback peer is
 * allowed only if no proxy is involved. For everyone else the path does not exist.
 */
export function metricsAnswer({ metrics, metricsFor }: Offered, exchange: Exchange): Response {
  const peer = exchange.peer() ?? "";
  const isAllowed = metricsFor.includes(peer) && (!isLoopbackPeer(peer) || exchange.isDirectLocal());
  if (!isAllowed) throw new AppError("not_found", `${exchange.path}: not found`);
  if (exchange.method !== "GET" && exchange.method !== "HEAD")
    throw wrongMethod(exchange.method, exchange.path, ["GET"]);
  if (exchange.query !== "") throw unknownQuery(exchange.query);
  exchange.route = exchange.path;
  return metrics.answer();
}
