// Goal: the process of `cairn mcp` ends when it should and only after its answers, survives any input, and leaves no lock behind.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { binaryPath } from "../kit/binaries.ts";
import { until } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { mcpSession } from "../kit/context/mcp.ts";
import { inFolder } from "../kit/context/mcp-places.ts";
import { within } from "../kit/within.ts";

describe("the process", () => {
  const spawned = (...flags: string[]) =>
    Bun.spawn([binaryPath("cairn"), "mcp", ...flags], { stdio: ["pipe", "pipe", "pipe"] });
  const initialize = `${JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  })}\n`;

  test("shakes hands without a space; a call says how to get one", async () => {
    await using folder = await temporaryFolder();
    const none = join(folder.path, "none");
    await using session = await mcpSession("--dir", none);
    expect((await session.client.listTools()).tools.length).toBeGreaterThan(2);
    expect(await session.refused("status")).toBe(
      `not_found: no space in ${none}; create one with cairn init solo --dir ${none}`,
    );
  });

  test("ends with its input, after the calls in progress, and writes the protocol only", async () => {
    await using place = await inFolder();
    const child = spawned(...place.flags, "--debug");
    const call = {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "read", arguments: { path: "a.md" } },
    };
    child.stdin.write(`${initialize}{"jsonrpc":"2.0","method":"notifications/initialized"}\n`);
    child.stdin.write(`nonsense\n{"jsonrpc":"2.0"}\n[]\n${JSON.stringify(call)}\n`);
    await child.stdin.end();
    const lines = (await child.stdout.text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id }) => id)).toEqual([1, 2]);
    expect(lines[1].result.content).toEqual([{ type: "text", text: "[a.md v1]\none\n" }]);
    expect(await within("cairn mcp ends", child.exited)).toBe(0);
    const reasons = (await child.stderr.text()).match(/the client sent no valid message reason=.*/g);
    const other =
      'the client sent no valid message reason="it is no request, notification or answer of JSON-RPC 2.0"';
    expect(reasons).toEqual([expect.stringContaining("JSON Parse error"), other]);
  });

  test("names the wrong parameter of a request", async () => {
    await using place = await inFolder();
    const child = spawned(...place.flags);
    const asked = [
      { id: 2, method: "tools/call", params: { name: 7 } },
      { id: 3, method: "tools/call" },
      { id: 4, method: "resources/read", params: { uri: ["a"] } },
    ];
    child.stdin.write(`${initialize}{"jsonrpc":"2.0","method":"notifications/initialized"}\n`);
    for (const request of asked) child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...request })}\n`);
    await child.stdin.end();
    const lines = (await child.stdout.text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ id }) => id > 1);
    expect(lines.map(({ id, error }) => [id, error?.code, error?.message])).toEqual([
      [2, -32602, "params.name: Invalid input: expected string, received number"],
      [3, -32602, "params: Invalid input: expected object, received undefined"],
      [4, -32602, "params.uri: Invalid input: expected string, received array"],
    ]);
  });

  test("answers everything that was asked before its input ended", async () => {
    await using place = await inFolder();
    const child = spawned(...place.flags, "--write");
    const asked = [
      { name: "map", arguments: {} },
      { name: "search", arguments: { query: "one" } },
      { name: "list", arguments: {} },
      { name: "nothing", arguments: {} },
      { name: "put", arguments: { path: "a.md", content: "two\n", expected_version: 7 } },
    ].map((params, index) => JSON.stringify({ jsonrpc: "2.0", id: index + 2, method: "tools/call", params }));
    child.stdin.write(
      `${initialize}{"jsonrpc":"2.0","method":"notifications/initialized"}\n${asked.join("\n")}\n`,
    );
    await child.stdin.end();
    const lines = (await child.stdout.text()).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).id).toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await within("cairn mcp ends", child.exited)).toBe(0);
  });

  test("answers each request of a batch, and takes null for no arguments", async () => {
    await using place = await inFolder();
    const child = spawned(...place.flags);
    const asked = [
      { id: "a", method: "ping" },
      { method: "notifications/cancelled", params: { requestId: "gone" } },
      { id: "b", method: "tools/call", params: { name: "status", arguments: null } },
    ].map((request) => ({ jsonrpc: "2.0", ...request }));
    child.stdin.write(`${initialize}{"jsonrpc":"2.0","method":"notifications/initialized"}\n`);
    child.stdin.write(`${JSON.stringify(asked)}\n`);
    await child.stdin.end();
    const lines = (await child.stdout.text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id }) => id)).toEqual([1, "a", "b"]);
    expect(lines[2].result.content[0].text).toStartWith("space: main\n");
    expect(await child.stderr.text()).toBe("");
  });

  test("answers a batch behind spaces and empty lines, and a last message without a line end", async () => {
    await using place = await inFolder();
    const child = spawned(...place.flags);
    const ping = (id: string) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" });
    child.stdin.write(`${initialize}{"jsonrpc":"2.0","method":"notifications/initialized"}\n`);
    child.stdin.write(`\n \t[${ping("a")}]\r\n \r\n  [ ${ping("b")} ]\n${ping("c")}\n[${ping("d")}]`);
    await child.stdin.end();
    const lines = (await child.stdout.text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id }) => id)).toEqual([1, "a", "b", "c", "d"]);
    expect(await child.stderr.text()).toBe("");
  });

  test("a message without end is refused, and ends it", async () => {
    await using place = await inFolder();
    const child = spawned(...place.flags);
    child.stdin.write(initialize);
    const flood = "x".repeat(1024 * 1024);
    const send = async () => {
      for (let count = 0; count < 20; count++) await child.stdin.write(flood);
    };
    // It is gone before it has all of it.
    void send().catch(() => {});
    expect(await within("cairn mcp ends", child.exited)).toBe(0);
    expect(await child.stderr.text()).toContain("the client sent no valid message");
  });

  test.skipIf(process.platform === "win32")("ends on SIGTERM, and when nobody reads its output", async () => {
    await using place = await inFolder();
    const first = spawned(...place.flags);
    first.stdin.write(initialize);
    await until(async () => (await first.stdout.getReader().read()).value);
    first.kill("SIGTERM");
    expect(await within("cairn mcp ends after SIGTERM", first.exited)).toBe(0);
    const child = Bun.spawn(
      ["bash", "-c", `exec "$0" "$@" > >(head -n1 >/dev/null)`, binaryPath("cairn"), "mcp", ...place.flags],
      { stdio: ["pipe", "ignore", "pipe"] },
    );
    const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}\n`;
    child.stdin.write(initialize);
    const pings = setInterval(() => void child.stdin.write(ping), 20);
    expect(await within("cairn mcp ends", child.exited)).toBe(0);
    clearInterval(pings);
    expect(await child.stderr.text()).toBe("");
  });

  test("leaves no lock behind when it is killed", async () => {
    await using place = await inFolder();
    const session = await mcpSession("--write", ...place.flags);
    await session.call("put", { path: "k.md", content: "kept\n", expected_version: null });
    process.kill(session.pid, "SIGKILL");
    expect(await place.printed("file", "get", "k.md")).toBe("kept\n");
    expect(readFileSync(join(place.tree, "k.md"), "utf8")).toBe("kept\n");
    await session.client.close();
  });
});
