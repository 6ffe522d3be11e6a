// Goal: both programs handle HTTP alike: a wrong method is 405 with Allow, JSON may have a charset, an unknown query is refused, and a body with
// a trailer is not acted on.

import { describe, expect, test } from "bun:test";
import { contextServer } from "../../kit/context/context-server.ts";
import { errorIn } from "../../kit/http/client.ts";
import { rawRequest, rawUntilClosed } from "../../kit/http/raw-http.ts";
import { world } from "../../kit/service/world.ts";

interface Program extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** A route whose GET returns a list and whose POST of `{ name }` adds to it. */
  readonly list: string;
  /** Of the route that takes a password, and knows no other method. */
  readonly login: string;
}

const programs: Readonly<Record<string, () => Promise<Program>>> = {
  service: async () => {
    const service = await world();
    const [list, login] = ["/teams", "/login"];
    const dispose = () => service[Symbol.asyncDispose]();
    return { url: service.url, token: service.program.token, list, login, [Symbol.asyncDispose]: dispose };
  },
  cairn: async () => {
    const server = await contextServer();
    const [list, login] = ["/spaces", "/auth/login"];
    const dispose = () => server[Symbol.asyncDispose]();
    return { url: server.url, token: server.bootstrap, list, login, [Symbol.asyncDispose]: dispose };
  },
};

for (const [name, start] of Object.entries(programs))
  describe(name, () => {
    const ask = async (program: Program, method: string, path: string, init: RequestInit = {}) => {
      const answer = await fetch(program.url + path, {
        method,
        ...init,
        headers: { Authorization: `Bearer ${program.token}`, ...(init.headers as Record<string, string>) },
      });
      const error = errorIn(await answer.text());
      return { status: answer.status, allow: answer.headers.get("allow"), ...error };
    };

    test("returns 405 with the allowed methods for a wrong method, and 404 for an unknown path", async () => {
      await using program = await start();
      const list = `/api/v1${program.list}`;
      for (const method of ["DELETE", "PATCH", "OPTIONS", "PUT"])
        expect(await ask(program, method, list)).toMatchObject({
          status: 405,
          code: "wrong_method",
          message: `${list}: ${method} is not allowed; use GET, HEAD, POST`,
          allow: "GET, HEAD, POST",
          details: { allow: "GET, HEAD, POST" },
        });
      expect(await ask(program, "PUT", "/health")).toMatchObject({ status: 405, allow: "GET, HEAD" });
      expect(await ask(program, "PUT", `/api/v1${program.login}`)).toMatchObject({
        status: 405,
        allow: "POST",
      });
      for (const [method, path] of [
        ["DELETE", "/api/v1/nosuch"],
        ["GET", "/api/v1/nosuch"],
        ["GET", "/api/v2/users"],
        ["GET", "/api"],
        ["GET", "/api/v1/spaces/team/nothing"],
      ] as const)
        expect(await ask(program, method, path)).toMatchObject({
          status: 404,
          code: "not_found",
          message: `${path}: no such route`,
          allow: null,
        });
      // A literal segment of a route is not an id, even if another route has a parameter there.
      if (name === "cairn") {
        for (const method of ["PATCH", "OPTIONS"])
          expect(await ask(program, method, "/api/v1/webhooks/dead-letter")).toMatchObject({
            status: 405,
            allow: "GET, HEAD",
          });
        // The service has its pages there.
        const outside = { status: 404, code: "not_found", message: "/nothing: not found" };
        expect(await ask(program, "GET", "/nothing")).toMatchObject(outside);
      }
      const head = { method: "HEAD", headers: { Authorization: `Bearer ${program.token}` } };
      expect((await fetch(program.url + list, head)).status).toBe(200);
    });

    test("accepts a charset of UTF-8 in any spelling, and refuses others", async () => {
      await using program = await start();
      const list = `/api/v1${program.list}`;
      const post = (type: string, title: string) =>
        ask(program, "POST", list, {
          body: JSON.stringify({ name: title }),
          headers: { "Content-Type": type },
        });
      const accepted = [
        "application/json; charset=utf-8",
        "Application/JSON;Charset=UTF-8",
        'application/json ; charset="utf-8"',
      ];
      for (const [index, type] of accepted.entries())
        expect([type, (await post(type, `name${index}`)).status]).toEqual([type, 201]);
      for (const type of [
        "application/json; charset=latin1",
        "application/json; charset=utf-8; charset=utf-16",
      ])
        expect([type, await post(type, "other")]).toEqual([
          type,
          expect.objectContaining({
            status: 400,
            code: "invalid",
            message: expect.stringContaining("charset=utf-8"),
          }),
        ]);
    });

    test("refuses an unknown query parameter by name, on routes with and without a query", async () => {
      await using program = await start();
      for (const path of [`/api/v1${program.list}`, "/api/v1/openapi.json", "/health", "/api/v1/audit"])
        expect([path, await ask(program, "GET", `${path}?nosuch=1`)]).toEqual([
          path,
          expect.objectContaining({ status: 400, message: "query parameter nosuch: unknown field" }),
        ]);
      expect(
        await ask(program, "POST", `/api/v1${program.list}?x`, {
          body: '{"name":"never"}',
          headers: { "Content-Type": "application/json" },
        }),
      ).toMatchObject({ status: 400, message: "query parameter x: unknown field" });
      expect((await ask(program, "GET", `/api/v1${program.list}?`)).status).toBe(200);
      expect(
        (await fetch(`${program.url}/api/v1${program.list}?x`, { headers: { Authorization: "Bearer x" } }))
          .status,
      ).toBe(401);
    });

    test("refuses a repeated parameter by name, in any encoding", async () => {
      await using program = await start();
      for (const query of [
        "limit=1&limit=2",
        "limit=1&limit=1",
        "limit=1&%6cimit=2",
        "limit=2&action=x&limit=2",
      ])
        expect([query, await ask(program, "GET", `/api/v1/audit?${query}`)]).toEqual([
          query,
          {
            status: 400,
            allow: null,
            code: "invalid",
            message: "query parameter limit: given more than once",
            request_id: expect.any(String),
            details: { in: "query", field: "limit", problem: "given more than once" },
          },
        ]);
      expect((await ask(program, "GET", "/api/v1/audit?limit=1&action=x")).status).toBe(200);
      expect(await ask(program, "GET", "/api/v1/audit?limit=x")).toMatchObject({
        status: 400,
        details: { in: "query", field: "limit", problem: "expected an integer from 1 to 500" },
      });
    });

    test("refuses a query that is not UTF-8, by name", async () => {
      await using program = await start();
      for (const query of ["action=%ff", "limit=1&action=%e2%82", "action=%zz"])
        expect([query, await ask(program, "GET", `/api/v1/audit?${query}`)]).toEqual([
          query,
          expect.objectContaining({
            status: 400,
            code: "invalid",
            message: "query parameter action: must be percent-encoded UTF-8",
          }),
        ]);
    });

    // The server below ends a body with its last chunk, and sees later packets only after acting on the request.
    test("ignores a late trailer, and reads nothing behind it as another request", async () => {
      await using program = await start();
      const { host, port } = new URL(program.url);
      const head = [
        `POST /api/v1${program.list} HTTP/1.1`,
        `Host: ${host}`,
        `Authorization: Bearer ${program.token}`,
        "Content-Type: application/json",
      ];
      const chunked = [...head, "Transfer-Encoding: chunked", "", "10", '{"name":"first"}', "0", ""].join(
        "\r\n",
      );
      const behind = [...head, "Content-Length: 17", "", '{"name":"behind"}'].join("\r\n");
      const target = { host: "127.0.0.1", port: Number(port) };
      const answers = await rawUntilClosed(target, chunked, `X-A: b\r\n\r\n${behind}`);
      expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 201", "HTTP/1.1 400"]);
      const names = await fetch(`${program.url}/api/v1${program.list}`, {
        headers: { Authorization: `Bearer ${program.token}` },
      });
      const found = ((await names.json()) as { name: string }[]).map((one) => one.name);
      expect(found.filter((one) => ["first", "behind"].includes(one))).toEqual(["first"]);
    });

    test("refuses a body with a trailer before acting on it", async () => {
      await using program = await start();
      const { host, port } = new URL(program.url);
      const send = (head: string[], trailer: string) =>
        rawRequest(
          { host: "127.0.0.1", port: Number(port) },
          [
            `POST /api/v1${program.list} HTTP/1.1`,
            `Host: ${host}`,
            `Authorization: Bearer ${program.token}`,
            "Content-Type: application/json",
            "Transfer-Encoding: chunked",
            ...head,
            "",
            "10",
            '{"name":"never"}',
            "0",
            `${trailer}\r\n`,
          ].join("\r\n"),
        );
      expect((await send(["Trailer: X-A"], "")).status).toBe(400);
      expect((await send([], "X-A: b\r\n")).status).toBe(400);
      const names = await fetch(`${program.url}/api/v1${program.list}`, {
        headers: { Authorization: `Bearer ${program.token}` },
      });
      expect(((await names.json()) as { name: string }[]).map((one) => one.name)).not.toContain("never");
      expect((await send([], "")).status).toBe(201);
    });
  });
