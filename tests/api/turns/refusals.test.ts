// Goal: a provider's refusal before its answer begins is retried exactly when that is safe; the turn shows the provider's message, the key is not
// leaked, and the next turn works.

import { expect, test } from "bun:test";
import {
  closedPort,
  cut,
  echoKey,
  garbage,
  hang,
  httpError,
  redirect,
  say,
  startModel,
  times,
  type ScriptItem,
} from "../../kit/model/index.ts";
import { KEY, protocols, QUICK, IMPATIENT, world } from "../../kit/service/world.ts";

const NOT_A_STREAM = "the provider answered with something other than an event stream";

const refusals: [name: string, reply: () => ScriptItem, requests: number, error: string][] = [
  ["401", () => httpError(401, "bad key"), 1, "the provider answered 401: bad key"],
  [
    "401 with the key in it",
    () => echoKey(),
    1,
    "the provider answered 401: Incorrect API key provided: [api key].",
  ],
  ["400", () => httpError(400, "no such thing"), 1, "the provider answered 400: no such thing"],
  ["408", () => times(3, httpError(408, "too slow")), 3, "the provider answered 408: too slow"],
  ["429", () => times(3, httpError(429, "slow down")), 3, "the provider answered 429: slow down"],
  [
    "429 with too long a wait",
    () => httpError(429, "come back tomorrow", { retryAfter: 31 }),
    1,
    "the provider answered 429: come back tomorrow",
  ],
  ["500", () => times(3, httpError(500, "oops")), 3, "the provider answered 500: oops"],
  ["529", () => times(3, httpError(529, "overloaded")), 3, "the provider answered 529: overloaded"],
  ["silence", () => hang(), 1, "the provider did not answer within 2 s"],
  [
    "a lost connection",
    () => cut(),
    1,
    "the provider could not be reached: the connection was closed before an answer",
  ],
  ["an HTML page", () => garbage("html"), 1, NOT_A_STREAM],
  ["broken JSON", () => garbage("json"), 1, NOT_A_STREAM],
  [
    "a broken event",
    () => garbage("sse"),
    1,
    "the provider's answer violates its protocol: an event is not a JSON object",
  ],
];

for (const protocol of protocols) {
  for (const [name, reply, requests, error] of refusals) {
    test(`${protocol}: ${name}`, async () => {
      await using lab = await world({ protocol, times: name === "silence" ? IMPATIENT : QUICK });
      lab.model.script("boss", [reply()]);
      const { turn, events } = await lab.chat("hello");
      expect(turn).toMatchObject({ status: "failed", error });
      expect(events.at(-1)).toMatchObject({
        type: "turn.finished",
        data: { data: { status: "failed", error, turn: { status: "failed", error } } },
      });
      expect(lab.model.requests).toHaveLength(requests);
      expect(await lab.calls(turn.id)).toMatchObject([
        { status: "failed", error, attempts: requests, input_tokens: null, output_tokens: null },
      ]);
      expect(await lab.conversation()).toEqual(["person: hello"]);
      await lab.expectNextTurnWorks();
    });
  }

  test(`${protocol}: hides a temporary refusal`, async () => {
    await using lab = await world({ protocol, times: QUICK });
    lab.model.script("boss", [
      httpError(500, "oops"),
      httpError(429, "slow down", { retryAfter: 0 }),
      say("here"),
    ]);
    const { turn } = await lab.chat("hello");
    expect(turn.status).toBe("done");
    expect(await lab.calls(turn.id)).toMatchObject([{ status: "done", attempts: 3, error: null }]);
    expect(await lab.conversation()).toEqual(["person: hello", "agent: here"]);
  });

  test(`${protocol}: prefers Retry-After to our own waits`, async () => {
    await using lab = await world({ protocol, times: { ...QUICK, retryWaitsMs: [60_000, 60_000] } });
    lab.model.script("boss", [httpError(429, "slow down", { retryAfter: 0.05 }), say("here")]);
    const { turn } = await lab.chat("hello");
    expect(turn.status).toBe("done");
    const [first, second] = lab.model.requests;
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(49);
  });

  test(`${protocol}: prefers the exact time of the next attempt`, async () => {
    await using lab = await world({ protocol, times: { ...QUICK, retryWaitsMs: [60_000, 60_000] } });
    const headers = { "retry-after-ms": "50" };
    lab.model.script("boss", [httpError(429, "slow down", { retryAfter: 31, headers }), say("here")]);
    expect((await lab.chat("hello")).turn).toMatchObject({ status: "done", error: null });
    const [first, second] = lab.model.requests;
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(49);
  });

  test(`${protocol}: retries a refused connection`, async () => {
    await using lab = await world({ protocol, times: QUICK });
    const [provider] = await lab.admin.get("/providers");
    const address = provider!.base_url;
    await lab.admin.patch(`/providers/${provider!.id}`, { base_url: await closedPort(), api_key: KEY });
    const { turn } = await lab.chat("hello");
    expect(turn).toMatchObject({
      status: "failed",
      error: "the provider could not be reached: connection refused",
    });
    expect(await lab.calls(turn.id)).toMatchObject([{ status: "failed", attempts: 3 }]);
    await lab.admin.patch(`/providers/${provider!.id}`, { base_url: address, api_key: KEY });
    await lab.expectNextTurnWorks();
  });

  test(`${protocol}: does not follow a redirect, so the key stays`, async () => {
    await using thief = await startModel();
    await using lab = await world({ protocol, times: QUICK });
    lab.model.script("boss", [redirect(`${thief.url}/v1/messages`, 307)]);
    const { turn } = await lab.chat("hello");
    const error = "the provider answered 307, a redirect; redirects are not followed, so correct its address";
    expect(turn).toMatchObject({ status: "failed", error });
    expect([...thief.requests, ...thief.lookups]).toEqual([]);
    await lab.expectNextTurnWorks();
  });

  test(`${protocol}: ends the wait before the next attempt on cancel`, async () => {
    await using lab = await world({ protocol, times: { ...QUICK, retryWaitsMs: [60_000, 60_000] } });
    lab.model.script("boss", [httpError(500, "oops")]);
    const { turn } = await lab.admin.post(`${lab.own}/chat`, { text: "hello" });
    await lab.model.waitFor((request) => request.state === "done");
    expect(await lab.admin.post(`/turns/${turn.id}/cancel`)).toMatchObject({
      status: "cancelled",
      error: null,
    });
    await lab.expectNextTurnWorks();
  });
}
