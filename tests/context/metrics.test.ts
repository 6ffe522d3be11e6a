// Goal: metrics count what happened, by route and never by name; only listed addresses may read them, whatever a proxy claims.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { refusal, refusalOf } from "../kit/http/refusal.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { rawRequest } from "../kit/http/raw-http.ts";

const scrape = async (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/metrics`, { headers });

test("counts requests by declared route and reveals no spaces, users or paths", async () => {
  await using server = await contextServer();
  const lee = await server.user("Lee-secret", "viewer");
  await server.admin.write("plan-secret.md", "12345");
  await refusalOf(lee.raw("PUT", "/spaces/team/files/plan-secret.md", { body: "x" }));
  await fetch(`${server.url}/nowhere-secret`);
  await using stream = await server.admin.events("/events");
  const response = await scrape(server.url);
  const text = await response.text();
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const value = (name: string) => text.split("\n").find((line) => line.startsWith(`${name} `));
  expect(value("service_up")).toBe("service_up 1");
  expect(value("service_files")).toBe("service_files 1");
  expect(value("service_bytes")).toBe("service_bytes 5");
  expect(value("service_sse_clients")).toBe("service_sse_clients 1");
  expect(value("service_audit_failed_total")).toBe("service_audit_failed_total 0");
  const route = "/api/v1/spaces/:space/files/*";
  const put = `service_http_requests_total{method="PUT",route="${route}"`;
  expect(value(`${put},code="201"}`)).toBe(`${put},code="201"} 1`);
  expect(value(`${put},code="403"}`)).toBe(`${put},code="403"} 1`);
  expect(text).toMatch(/service_http_requests_total\{method="GET",route="none",code="404"\} 1/);
  expect(text).not.toMatch(/secret|team/);
  const inf = value('service_http_request_duration_seconds_bucket{le="+Inf"}')!.split(" ")[1];
  expect(value("service_http_request_duration_seconds_count")!.split(" ")[1]).toBe(inf!);
  expect(stream.response.status).toBe(200);
});

test("counts and times commits to spaces, each once, however many writes share it", async () => {
  await using server = await contextServer();
  const read = async () => {
    const text = await (await scrape(server.url)).text();
    const value = (name: string) =>
      Number(
        text
          .split("\n")
          .find((line) => line.startsWith(`${name} `))!
          .split(" ")[1],
      );
    return {
      total: value("service_commits_total"),
      count: value("service_commit_seconds_count"),
      slowest: value('service_commit_seconds_bucket{le="+Inf"}'),
      seconds: value("service_commit_seconds_sum"),
    };
  };
  // Opening a space also commits.
  await server.admin.write("first.md", "x");
  const before = await read();
  for (let i = 0; i < 3; i++) await server.admin.write("a.md", `text ${i}`);
  const after = await read();
  expect(after.total).toBe(before.total + 3);
  expect([after.count, after.slowest]).toEqual([after.total, after.total]);
  expect(after.seconds).toBeGreaterThan(before.seconds);
  // A refused write does not commit.
  await refusalOf(server.admin.raw("PUT", "/spaces/team/files/con", { body: "x" }));
  expect((await read()).total).toBe(after.total);
  await Promise.all(Array.from({ length: 40 }, (_, i) => server.admin.write(`many/${i}.md`, "x")));
  expect((await read()).total).toBeLessThanOrEqual(after.total + 40);
});

test("is hidden from others, even if a header claims an allowed address", async () => {
  const config = { metrics: { allow: ["192.0.2.0/24"] }, listen: { trusted_proxies: ["127.0.0.1"] } };
  await using server = await contextServer({ config });
  for (const headers of [{}, { "X-Forwarded-For": "192.0.2.1" }])
    await refusal(scrape(server.url, headers), "not_found");
});

test("neither metrics nor the local door are reachable through a proxy on the same machine", async () => {
  for (const address of ["127.0.0.1", "0.0.0.0"]) {
    const config = { listen: { address, allowed_hosts: ["localhost", "cairn.example"] } };
    await using server = await contextServer({ config });
    const { port } = new URL(server.url);
    const door = JSON.parse(readFileSync(join(server.directory, "run", "server.json"), "utf8"));
    const bearer = `Authorization: Bearer ${door.token}`;
    const ask = async (path: string, ...lines: string[]) => {
      const head = [`GET ${path} HTTP/1.1`, ...lines].join("\r\n");
      return (await rawRequest(server.url, `${head}\r\n\r\n`)).status;
    };
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      const isOwn = address === "127.0.0.1" || host.startsWith("localhost");
      expect([host, await ask("/metrics", `Host: ${host}`)]).toEqual([host, isOwn ? 200 : 421]);
      expect([host, await ask("/api/v1/users", `Host: ${host}`, bearer)]).toEqual([host, isOwn ? 200 : 421]);
    }
    const host = `Host: localhost:${port}`;
    const proxies = [
      [host, "X-Forwarded-For: 192.0.2.1"],
      [host, "Forwarded: for=127.0.0.1"],
      [host, "Via: 1.1 proxy"],
      [host, "X-Real-IP: 127.0.0.1"],
      ["Host: cairn.example"],
    ];
    for (const proxy of proxies) {
      expect([proxy, await ask("/metrics", ...proxy)]).toEqual([proxy, 404]);
      expect([proxy, await ask("/api/v1/users", ...proxy, bearer)]).toEqual([proxy, 401]);
    }
  }
});
