// Goal: a caller without rights is refused before a byte of the body is read, and any number of concurrent large bodies leaves the server small and
// responsive.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "bun:test";
import { errorIn } from "../kit/http/client.ts";
import { refusalOf } from "../kit/http/refusal.ts";
import { contextServer, filePath, type ContextServer } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { rawRequest } from "../kit/http/raw-http.ts";
import { runContext } from "../kit/context/running-context.ts";

const MIB = 1024 * 1024;

/** Sends only the head of a request: a response shows that the server did not wait for the body. */
async function headOnly(server: ContextServer, token: string, method: string, path: string) {
  const { host } = new URL(server.url);
  const answer = await rawRequest(
    server.url,
    `${method} /api/v1${path} HTTP/1.1\r\nHost: ${host}\r\n` +
      (token === "" ? "" : `Authorization: Bearer ${token}\r\n`) +
      `Content-Type: application/json\r\nContent-Length: ${60 * MIB}\r\n\r\n`,
  );
  return [answer.status, errorIn(answer.body)!.code];
}

interface OpenApi {
  paths: Record<string, Record<string, { "x-caller": string; requestBody?: object }>>;
}

describe("before reading the body", () => {
  test("refuses a stranger on every route with a body", async () => {
    await using server = await contextServer();
    const { paths } = await server.admin.get<OpenApi>("/openapi.json");
    const refused: unknown[] = [];
    for (const [path, methods] of Object.entries(paths))
      for (const [method, operation] of Object.entries(methods)) {
        if (!operation.requestBody || operation["x-caller"] === "open") continue;
        const place = path.replace("/api/v1", "").replace(/\{\w+\}/g, "1");
        const answer = await headOnly(server, "", method.toUpperCase(), place);
        refused.push(answer);
      }
    expect(refused.length).toBeGreaterThan(10);
    expect(refused).toEqual(refused.map(() => [401, "unauthenticated"]));
  });

  test("refuses a user without rights in the space or without sight of it", async () => {
    await using server = await contextServer();
    const viewer = await server.user("Ann", "viewer");
    const outsider = await server.user("Bob", "contributor", []);
    const lead = [
      ["PUT", "/spaces/team/quotas"],
      ["PUT", "/spaces/team/sync"],
      ["POST", "/spaces/team/snapshots"],
    ] as const;
    const visible = [
      ["POST", "/spaces/team/push"],
      ["POST", "/spaces/team/pull"],
      ["PUT", filePath("a.md")],
    ] as const;
    for (const [method, path] of [...lead, visible[0], visible[2]])
      expect([path, await headOnly(server, viewer.token, method, path)]).toEqual([path, [403, "forbidden"]]);
    for (const [method, path] of [...lead, ...visible]) {
      const unseen = [404, "not_found"];
      expect([path, await headOnly(server, outsider.token, method, path)]).toEqual([path, unseen]);
      const nosuch = path.replace("/team/", "/nosuch/");
      expect([path, await headOnly(server, server.admin.token, method, nosuch)]).toEqual([path, unseen]);
    }
    expect(await headOnly(server, viewer.token, "POST", "/users")).toEqual([403, "forbidden"]);
  });

  test("a list of paths has its own smaller limit", async () => {
    await using server = await contextServer();
    expect(await headOnly(server, server.admin.token, "POST", "/spaces/team/pull")).toEqual([
      413,
      "too_large",
    ]);
    const paths = Array.from({ length: 50_001 }, (_, index) => `a/${index}.md`);
    const refused = await refusalOf(server.admin.raw("POST", "/spaces/team/pull", { body: { paths } }));
    expect([refused.status, refused.code]).toEqual([400, "invalid"]);
  });
});

describe("many concurrent large bodies", () => {
  const field = (pid: number, name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) /
    1024;

  test.skipIf(process.platform !== "linux")(
    "ten viewers and four contributors send 60 MB each: the server answers others and stays small, also afterwards",
    async () => {
      await using server = await runContext();
      const as = async (name: string, role: string) => {
        const { token } = await server.admin.post("/users", { name, role });
        return { token, name };
      };
      const before = field(server.pid, "VmRSS");
      const content = Buffer.alloc(5 * MIB, "0123456789abcdef").toString("base64");
      const send = async ({ token, name }: { token: string; name: string }, path: string, body: string) => {
        const answer = await fetch(`${server.url}/api/v1/spaces/team/${path}`, {
          method: "POST",
          headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
          body: body.replaceAll("NAME", name),
        });
        await answer.text();
        return answer.status;
      };
      const ops = Array.from({ length: 9 }, (_, index) => ({
        op: "put",
        path: `NAME/${index}.bin`,
        content_b64: content,
      }));
      const push = JSON.stringify({ ops });
      const pull = JSON.stringify({ paths: ops.map(({ content_b64 }) => content_b64) });
      const names = Array.from({ length: 10 }, (_, index) => `n${index}`);
      const viewers = await Promise.all(names.map((name) => as(`viewer-${name}`, "viewer")));
      const writers = await Promise.all(names.slice(0, 4).map((name) => as(`writer-${name}`, "contributor")));
      const all = Promise.all([
        ...viewers.flatMap((one) => [send(one, "push", push), send(one, "pull", pull)]),
        ...writers.map((one) => send(one, "push", push)),
      ]);
      const state = { isOver: false };
      void all.finally(() => (state.isOver = true));
      let health = 0;
      while (!state.isOver) {
        expect((await fetch(`${server.url}/health`)).status).toBe(200);
        health += 1;
      }
      expect(await all).toEqual([...viewers.flatMap(() => [403, 413]), ...writers.map(() => 200)]);
      expect(health).toBeGreaterThan(3);
      expect(field(server.pid, "VmHWM")).toBeLessThan(before + 400);
      await eventually(() => field(server.pid, "VmRSS") < before + 100, true);
    },
  );
});
