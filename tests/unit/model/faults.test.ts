// Goal: scripted network faults look real to plain `fetch`.

import { expect, test } from "bun:test";
import {
  closedPort,
  cut,
  echoKey,
  garbage,
  gate,
  hang,
  headers,
  httpError,
  huge,
  readStamps,
  redirect,
  say,
  type ScriptedModel,
  startModel,
  stream,
} from "../../kit/model/index.ts";

const PATHS = { anthropic: "/v1/messages", openai: "/v1/chat/completions" };
const PROTOCOLS = ["anthropic", "openai"] as const;

function ask(model: ScriptedModel, protocol: keyof typeof PATHS, init: RequestInit = {}): Promise<Response> {
  return fetch(model.url + PATHS[protocol], {
    method: "POST",
    headers: { authorization: "Bearer sk-canary-0001", "anthropic-version": "2023-06-01" },
    body: JSON.stringify({
      model: "boss",
      max_tokens: 10,
      stream: true,
      messages: [{ role: "user", content: "hi" }],
    }),
    ...init,
  });
}

function codeOf(error: { code: string }): string {
  return error.code;
}

test.each(PROTOCOLS)("%s: hangs before the headers until the caller leaves", async (protocol) => {
  // Goal: nothing is sent, and the model notices that the caller has left.
  await using model = await startModel();
  model.reply(hang());
  const caller = new AbortController();
  const answer = ask(model, protocol, { signal: caller.signal }).catch((error: Error) => error.name);
  await model.waitFor(1);
  caller.abort();
  expect(await answer).toBe("AbortError");
  await model.waitFor((request) => request.state === "aborted");
});

test.each(PROTOCOLS)("%s: drops the connection before, at and after the headers", async (protocol) => {
  // Goal: no status, a status without a body, a body without an end; each is recorded as dropped.
  await using model = await startModel();
  const heard = gate();
  model.reply(cut(), [headers(), cut()], [say("two words"), heard, cut()], cut(2));
  const codes: unknown[] = [await ask(model, protocol).catch(codeOf)];
  let text = "";
  for (let n = 1; n < 4; n++) {
    const response = await ask(model, protocol);
    expect(response.status).toBe(200);
    const read = async () => {
      for await (const bytes of response.body ?? []) {
        text += new TextDecoder().decode(bytes);
        if (text.includes('"words"')) heard.open();
      }
    };
    codes.push(await read().catch(codeOf));
  }
  expect(codes).toEqual(Array(4).fill("ECONNRESET"));
  expect(text).toContain('"two "');
  await model.waitFor((request) => request.number === 3 && request.state === "cut");
  expect(model.requests.map(({ state }) => state)).toEqual(Array(4).fill("cut"));
});

test("a gate holds a reply until the test opens it", async () => {
  // Goal: events prove the order, not time.
  await using model = await startModel();
  const door = gate();
  model.reply([say("before "), door, say("after")]);
  const response = await ask(model, "openai");
  await door.reached;
  expect(model.requests[0]?.state).toBe("open");
  door.open();
  expect(await response.text()).toMatch(/before.*after/s);
  await model.waitFor((request) => request.state === "done");
});

test.each(PROTOCOLS)("%s: leaks the key where scripted", async (protocol) => {
  // Goal: the canary is in the body and a header, so that a test can prove that it goes no further.
  await using model = await startModel();
  model.reply(echoKey());
  const response = await ask(model, protocol);
  expect(response.status).toBe(401);
  expect(response.headers.get("x-echo")).toBe("sk-canary-0001");
  expect(await response.text()).toContain("sk-canary-0001");
});

test("answers outside the protocol", async () => {
  // Goal: a page, broken JSON and a broken event, each with status 200.
  await using model = await startModel();
  model.reply(garbage("html"), garbage("json"), garbage("sse"));
  const types = [];
  for (let n = 0; n < 3; n++) {
    const response = await ask(model, "openai");
    types.push([response.status, response.headers.get("content-type")]);
    expect(await response.text()).not.toBe("");
  }
  expect(types).toEqual([
    [200, "text/html"],
    [200, "application/json"],
    [200, "text/event-stream"],
  ]);
});

test("redirects with any status and headers", async () => {
  // Goal: a redirect shows whether a caller follows it and sends its key along.
  await using model = await startModel();
  model.reply(redirect("http://127.0.0.1:1/v1", 307), httpError(429, "slow down", { retryAfter: 7 }));
  const moved = await ask(model, "openai", { redirect: "manual" });
  expect([moved.status, moved.headers.get("location")]).toEqual([307, "http://127.0.0.1:1/v1"]);
  const slow = await ask(model, "openai");
  expect([slow.status, slow.headers.get("retry-after")]).toEqual([429, "7"]);
});

test("sends a huge answer completely", async () => {
  // Goal: size alone breaks nothing, so that tests exercise the reader's own limit.
  await using model = await startModel();
  model.reply(huge(5_000_000));
  const text = await (await ask(model, "openai")).text();
  expect(text.length).toBeGreaterThan(5_000_000);
  expect(text).toEndWith("data: [DONE]\n\n");
});

test.each(PROTOCOLS)("%s: timestamps each chunk of many parallel streams", async (protocol) => {
  // Goal: 200 streams run in parallel, and every chunk has its send time, in ascending order.
  await using model = await startModel();
  const door = gate();
  model.on("boss", [door, stream({ chunks: 5, everyMs: 1, stamp: true })]);
  const answers = Array.from({ length: 200 }, async () => (await ask(model, protocol)).text());
  await model.waitFor(200);
  door.open();
  for (const text of await Promise.all(answers)) {
    const stamps = readStamps(text);
    expect(stamps).toHaveLength(5);
    expect(stamps).toEqual(stamps.toSorted((a, b) => a - b));
  }
  expect(model.peak).toBe(200);
});

test("provides a closed port", async () => {
  // Goal: the helper's address refuses the connection.
  const url = await closedPort();
  expect(await fetch(url).catch(codeOf)).toBe("ECONNREFUSED");
});
