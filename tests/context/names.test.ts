// Goal: a file name in a URL is decoded once, validated, and the same on every route, however it is encoded.

import { describe, expect, test } from "bun:test";
import { contextServer, put, type ContextServer } from "../kit/context/context-server.ts";
import { rawRequest } from "../kit/http/raw-http.ts";
import { refusal } from "../kit/http/refusal.ts";

describe("names", () => {
  /** Sends the path verbatim, bypassing the normalization of client libraries. */
  async function raw(server: ContextServer, method: string, written: string) {
    const { port } = new URL(server.url);
    const answer = await rawRequest(
      server.url,
      `${method} /api/v1/spaces/team/files/${written} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${server.bootstrap}\r\n` +
        (method === "PUT" ? "Content-Length: 1\r\n\r\nx" : "\r\n"),
    );
    return answer.status;
  }

  test("refuses traversal, device names, hidden characters and broken encodings, whatever the method", async () => {
    await using server = await contextServer();
    const refused =
      "%2e%2e/x.md a/%2e%2e/%2e%2e/x.md %2e%2e%2fx.md a%2f..%2fx.md a%5cb.md a%00b.md a%zz.md % %ff.md %c0%af.md " +
      "a//b.md %2fetc/passwd a/ con a/NUL.md a%0ab.md a%3ab.md a.md. a.md%20 %e2%80%aea.md a%ef%bc%8fb.md " +
      "%e2%84%80.md a/x%e2%84%85 .cairn/space.yaml .CAIRN/space.db .sync/state.db .git/config .DS_Store";
    for (const path of refused.split(" "))
      for (const method of ["PUT", "GET"]) {
        const status = await raw(server, method, path);
        expect([path, method, status, status === 400 || status === 404]).toEqual([
          path,
          method,
          status,
          true,
        ]);
      }
    expect(await server.admin.get("/spaces/team/files?deleted=1")).toEqual([]);
  });

  test("a path is decoded once, and both Unicode forms are one file", async () => {
    await using server = await contextServer();
    expect(await raw(server, "PUT", "a%2525.md")).toBe(201);
    expect(await raw(server, "PUT", "docs%2Fb.md")).toBe(201);
    expect(await raw(server, "PUT", "caf%C3%A9.md")).toBe(201);
    // The same content again, under the other form of its name.
    expect(await raw(server, "PUT", "cafe%CC%81.md")).toBe(200);
    const list = await server.admin.get("/spaces/team/files");
    expect(list.map(({ path }) => path)).toEqual(["a%25.md", "caf\u00e9.md", "docs/b.md"]);
  });

  test("names that are equal on some file systems, and a file in the place of a directory, are conflicts", async () => {
    await using server = await contextServer({ files: { "Docs/Plan.md": "one" } });
    const { admin } = server;
    for (const path of ["docs/plan.md", "Docs", "Docs/Plan.md/x.md"])
      await refusal(put(admin, path, "x"), "conflict");
  });

  test("refuses a new name that hides characters, and names it", async () => {
    await using server = await contextServer({ files: { "memo.md": "one" } });
    const { admin } = server;
    for (const path of ["me\u200cmo.md", "me\u00admo.md", "memo\u{e0061}.md"])
      await refusal(put(admin, path, "x"), "invalid", `${path}: must not contain invisible characters`, {
        path,
      });
    await put(admin, "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.md", "x");
    expect(await admin.get("/spaces/team/files")).toHaveLength(2);
  });

  test("allows at most 1,024 bytes", async () => {
    await using server = await contextServer();
    const segment = "x".repeat(200);
    const path = `${[segment, segment, segment, segment, segment].join("/")}/${"y".repeat(19)}`;
    expect(Buffer.byteLength(path)).toBe(1024);
    expect((await put(server.admin, path, "x")).status).toBe(201);
    await refusal(put(server.admin, `${path}y`, "x"), "invalid", "path: at most 1024 bytes");
  });

  test("every file route decodes and validates alike", async () => {
    await using server = await contextServer();
    const message = "path: segments are separated by /, and \\ is not allowed";
    for (const route of "GET files, PUT files, DELETE files, GET history, GET diff, POST undelete, DELETE versions".split(
      ", ",
    )) {
      const [method, kind] = route.split(" ") as [string, string];
      const path = `/spaces/team/${kind}/a%5cb.md${kind === "versions" ? "?version=1" : ""}`;
      await refusal(server.admin.raw(method, path), "invalid", message);
    }
  });
});
