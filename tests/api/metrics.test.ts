// Goal: the service counts by route, never by name, and shows metrics only to programs on this machine.

import { expect, test } from "bun:test";
import { say } from "../kit/model/index.ts";
import { world } from "../kit/service/world.ts";

const scrape = (url: string, headers: Record<string, string> = {}) => fetch(`${url}/metrics`, { headers });

test("counts requests, turns, model calls and their tokens", async () => {
  await using lab = await world({ model: true });
  lab.model.script("boss", [say("Hello.")]);
  await lab.chat("hello");
  const response = await scrape(lab.url);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const text = await response.text();
  const value = (name: string) =>
    Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length),
    );
  const usage = await lab.admin.get(`${lab.own}/usage`);
  expect({
    up: value("service_up"),
    turns: value("service_turns_running"),
    streams: value("service_sse_clients"),
    calls: value("service_model_calls_total"),
    input: value("service_model_input_tokens_total"),
    output: value("service_model_output_tokens_total"),
    chats: value('service_http_requests_total{method="POST",route="/api/v1/workspaces/:id/chat",code="200"}'),
  }).toEqual({
    up: 1,
    turns: 0,
    streams: 0,
    calls: 1,
    input: usage.input_tokens,
    output: usage.output_tokens,
    chats: 1,
  });
  expect(text).toContain("service_event_loop_delay_seconds_bucket");
  expect(text).not.toMatch(/boss|admin/);
});

test("hides metrics behind a proxy, and refuses other methods and queries", async () => {
  await using lab = await world({ model: true });
  expect((await scrape(lab.url, { "X-Forwarded-For": "192.0.2.1" })).status).toBe(404);
  expect((await scrape(lab.url, { Via: "1.1 proxy" })).status).toBe(404);
  const posted = await fetch(`${lab.url}/metrics`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{}",
  });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  const queried = await fetch(`${lab.url}/metrics?x=1`);
  expect([queried.status, await queried.text()]).toEqual([
    400,
    expect.stringContaining("query parameter x: unknown field"),
  ]);
});
