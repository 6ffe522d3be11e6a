// Goal: every response follows the same conventions (request id, security headers, JSON, one shape of error), and health is truthful.

import { expect, test } from "bun:test";
import { SECURITY_HEADERS } from "../../../src/kit/http/answer.ts";
import { world } from "../../kit/service/world.ts";

test("sends security headers, no caching and a request id with every kind of response", async () => {
  await using at = await world({ model: "silent" });
  const lab = await at.workspace("lab");
  const calls: [method: string, path: string, status: number, body?: unknown][] = [
    ["GET", "/workspaces", 200],
    ["POST", "/teams", 201, { name: "t" }],
    ["DELETE", "/teams/1", 204],
    ["POST", "/teams", 400, {}],
    ["GET", "/workspaces/99", 404],
    ["GET", "/nothing", 404],
    ["GET", "/openapi.json", 200],
    ["GET", "/health", 200],
  ];
  for (const [method, path, status, body] of calls) {
    const response = await at.admin.raw(method, path, { body });
    const text = await response.text();
    expect({ path, status: response.status }).toEqual({ path, status });
    expect(
      Object.fromEntries(Object.keys(SECURITY_HEADERS).map((name) => [name, response.headers.get(name)])),
    ).toEqual({ ...SECURITY_HEADERS });
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._:-]{1,64}$/);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect(response.headers.get("content-type")).toBe(status === 204 ? null : "application/json");
    expect(status === 204 ? text : typeof JSON.parse(text)).toBe(status === 204 ? "" : "object");
  }
  await using stream = await at.admin.events(`/workspaces/${lab.id}/events`);
  expect(stream.response.headers.get("content-type")).toBe("text/event-stream");
  for (const [name, value] of Object.entries(SECURITY_HEADERS))
    expect(stream.response.headers.get(name)).toBe(value);
});

test("answers health to anyone on both paths, and empty lists with []", async () => {
  await using at = await world();
  for (const path of ["/health", "/api/v1/health"]) {
    const response = await fetch(at.url + path, {
      headers: { Authorization: "Bearer wrong", "X-Forwarded-For": "1.2.3.4" },
    });
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 200,
      body: { status: "ok", version: expect.any(String), problems: [] },
    });
  }
  for (const path of ["/workspaces", "/providers", "/models", "/teams"])
    expect(await at.admin.get<unknown>(path)).toEqual([]);
});
