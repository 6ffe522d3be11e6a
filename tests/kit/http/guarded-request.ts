// A POST as it is after the guard, without a server: for what reads bodies.

import { Bodies, type BodyBounds } from "../../../src/kit/http/bodies.ts";
import { attachExchange, innerExchange } from "../../../src/kit/http/exchange.ts";

export function guardedRequest(body: string | ReadableStream<Uint8Array>, bodies = new Bodies()): Request {
  const request = new Request("http://localhost/", { method: "POST", body });
  attachExchange(request, innerExchange("1", request, bodies));
  return request;
}

/** Small enough for tests to reach. */
export const SMALL_BOUNDS: BodyBounds = {
  memoryBytesMax: 100_000,
  memoryBytesPerCallerMax: 60_000,
  diskBytesMax: 100_000,
  diskBytesPerCallerMax: 60_000,
  graceMs: 200,
  bytesPerSecondMin: 1_000_000,
};
