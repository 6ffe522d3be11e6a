// Goal: a retry is a use of the provider's address like the first attempt: a name that leads elsewhere by now gets no request.

import { expect, test } from "bun:test";
import { systemClock } from "../../../src/kit/clock.ts";
import { AppError } from "../../../src/kit/error.ts";
import type { ModelEndpoint } from "../../../src/service/catalog/models.ts";
import { openAnswer, TRANSPORT_TIMES } from "../../../src/service/llm/transport.ts";
import { refusal } from "../../kit/http/refusal.ts";

test("checks the address again before each retry", async () => {
  let requests = 0;
  await using server = Bun.serve({
    port: 0,
    fetch() {
      requests += 1;
      return new Response("slow down", { status: 429, headers: { "Retry-After": "0" } });
    },
  });
  let checks = 0;
  const destination = async (url: string) => {
    checks += 1;
    if (checks > 1) throw new AppError("refused", "it leads elsewhere now");
    return { url, headers: {} };
  };
  const endpoint = { protocol: "openai-compatible", apiKey: "" } as ModelEndpoint;
  const exchange = {
    endpoint,
    signal: new AbortController().signal,
    attempt: () => {},
    retryIn: () => {},
    url: `${server.url}v1/chat/completions`,
    body: new Blob(["{}"]),
  };
  const deps = { clock: systemClock, times: TRANSPORT_TIMES, destination };
  await refusal(openAnswer(deps, exchange), "refused", "it leads elsewhere now");
  expect([checks, requests]).toEqual([2, 1]);
});
