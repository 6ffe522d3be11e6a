// Goal: a request is judged by the rights at the time of its effect: a caller who loses them while the body is being sent changes nothing.

import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { errorIn } from "../kit/http/client.ts";
import { contextServer, filePath, type ContextServer } from "../kit/context/context-server.ts";
import { within } from "../kit/within.ts";

const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

interface Slow {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** Sends the head, waits until the server has admitted it, runs `meanwhile`, then sends the body. */
async function slowly(
  server: ContextServer,
  token: string,
  { method, path, body }: Slow,
  meanwhile: () => Promise<unknown>,
): Promise<{ status: number; code: string }> {
  const { port, host } = new URL(server.url);
  const socket = connect({ host: "127.0.0.1", port: Number(port) });
  const answered = Promise.withResolvers<string>();
  const letIn = Promise.withResolvers<void>();
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk.toString();
    if (received.startsWith(CONTINUE)) letIn.resolve();
    if (received.slice(CONTINUE.length).includes("\r\n\r\n{"))
      answered.resolve(received.slice(CONTINUE.length));
  });
  socket.on("error", answered.reject);
  const type = method === "POST" ? "Content-Type: application/json\r\n" : "";
  socket.write(
    `${method} /api/v1${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n${type}` +
      `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await within("the server asks for the body", letIn.promise);
  await meanwhile();
  socket.write(body);
  const [head = "", text = ""] = (await within("the server answers", answered.promise)).split("\r\n\r\n");
  socket.destroy();
  return { status: Number(head.split(" ")[1]), code: errorIn(text)?.code ?? "" };
}

const FILE = { method: "PUT", path: filePath("late.md"), body: "late" };
const PUSH = {
  method: "POST",
  path: "/spaces/team/push",
  body: JSON.stringify({ ops: [{ op: "put", path: "late.md", content_b64: "bGF0ZQ==" }] }),
};
const ADMIN = { method: "POST", path: "/users", body: JSON.stringify({ name: "Mallory", role: "admin" }) };

describe("while the body is being sent", () => {
  const losses: Readonly<Record<string, (server: ContextServer) => Promise<unknown>>> = {
    disabled: ({ admin }) => admin.post("/users/Ann/disable"),
    "tokens revoked": ({ admin }) => admin.delete("/users/Ann/tokens"),
    removed: ({ admin }) => admin.delete("/users/Ann"),
  };
  for (const [what, lose] of Object.entries(losses))
    test(`${what}: 401, and nothing changes`, async () => {
      await using server = await contextServer();
      const ann = await server.user("Ann", "admin");
      for (const [index, request] of [FILE, PUSH, ADMIN].entries()) {
        if (index > 0) await server.admin.delete("/users/Ann").catch(() => {});
        const { token } = index === 0 ? ann : await server.user("Ann", "admin");
        const gone = { status: 401, code: "unauthenticated" };
        expect(await slowly(server, token, request, () => lose(server))).toEqual(gone);
      }
      expect((await server.admin.get("/spaces/team/files")).map(({ path }) => path)).toEqual([]);
      const users = await server.admin.get("/users");
      expect(users.map(({ name }) => name)).not.toContain("Mallory");
      const refused = await server.admin.get("/audit?actor=Ann&result=denied");
      expect(refused.map(({ action, actor }) => [action, actor.role]).toReversed()).toEqual([
        ["file.write", "admin"],
        ["space.push", "admin"],
        ["user.add", "admin"],
      ]);
    });

  test("demoted or denied by a rule: the new rights apply", async () => {
    await using server = await contextServer();
    const { token } = await server.user("Ann", "admin");
    const demote = (role: string) => () => server.admin.patch("/users/Ann", { role });
    const forbidden = { status: 403, code: "forbidden" };
    expect(await slowly(server, token, ADMIN, demote("contributor"))).toEqual(forbidden);
    expect(await slowly(server, token, FILE, demote("viewer"))).toEqual(forbidden);
    await demote("contributor")();
    const capabilities = ["list", "read", "create", "update"];
    const deny = () =>
      server.admin.put("/users/Ann/acl", { rules: [{ effect: "deny", path: "team/**", capabilities }] });
    expect(await slowly(server, token, PUSH, deny)).toEqual({ status: 404, code: "not_found" });
  });
});
