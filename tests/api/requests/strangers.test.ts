// Goal: a request without access is refused before a byte of its body is read.

import { expect, test } from "bun:test";
import { errorIn } from "../../kit/http/client.ts";
import { describedRoutes } from "../../kit/http/described-routes.ts";
import { rawRequest } from "../../kit/http/raw-http.ts";
import { world } from "../../kit/service/world.ts";

test("refuses a stranger with 401 on every route with a body, and a member with 403 or 404 if known early", async () => {
  await using service = await world();
  const { host, port } = new URL(service.url);
  const admin = service.as(service.program.token);
  const { token } = await admin.post("/users", { name: "Ann", role: "member" });
  /** Sends only the head, as a proxy would, so without the loopback privilege. A response shows that the body was not awaited. */
  const headOnly = async (method: string, path: string, authorization: string) => {
    const answer = await rawRequest(
      { host: "127.0.0.1", port: Number(port) },
      `${method} /api/v1${path.replace(/\{\w+\}/g, "1")} HTTP/1.1\r\nHost: ${host}\r\n${authorization}` +
        "Via: 1.1 proxy\r\nContent-Type: application/json\r\nContent-Length: 60000000\r\n\r\n",
    );
    return [answer.status, errorIn(answer.body)!.code];
  };
  const routes = (await describedRoutes(admin)).filter(({ body, caller }) => body && caller !== "open");
  expect(routes.length).toBeGreaterThan(20);
  for (const { method, path, caller } of routes) {
    const about = `${method} ${path}`;
    expect([about, await headOnly(method, path, "")]).toEqual([about, [401, "unauthenticated"]]);
    const member = await headOnly(method, path, `Authorization: Bearer ${token}\r\n`);
    if (caller === "admin") expect([about, member]).toEqual([about, [403, "forbidden"]]);
    // The file route reads its own body, after finding the workspace.
    else if (path.startsWith("/workspaces/{id}"))
      expect([about, member]).toEqual([about, [404, "not_found"]]);
  }
});
