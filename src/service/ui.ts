// What is served beside the API: the browser interface, if this binary has one.
// A missing asset is 404, never the interface's page; any other path is the page.

import { AppError } from "../kit/error.ts";
import type { Exchange } from "../kit/http/exchange.ts";

const ASSET = /^\/assets\/|\.[a-z0-9]{1,8}$/i;

/** Raises `not_found` for assets and other methods than reading, `unavailable` while no interface is built in. */
export function serveUi(exchange: Exchange): Response {
  const reads = exchange.method === "GET" || exchange.method === "HEAD";
  if (!reads || ASSET.test(exchange.path)) throw new AppError("not_found", `${exchange.path}: not found`);
  throw new AppError("unavailable", "web UI is not built into this binary — build with make build");
}
