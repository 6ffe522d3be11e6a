// The SDK's own client, talking to the compiled `cairn mcp` over its standard streams.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { binaryPath } from "../binaries.ts";
import { WAIT_LIMIT_MS } from "../wait-limit.ts";

interface McpSession extends AsyncDisposable {
  readonly client: Client;
  readonly pid: number;
  /** The log of the server. */
  log(): string;
  /** The text of an answer; raises for an error of the tool. */
  call(tool: string, input?: Record<string, unknown>): Promise<string>;
  /** The text of an error of the tool; raises for an answer. */
  refused(tool: string, input?: unknown): Promise<string>;
}

export async function mcpSession(...flags: string[]): Promise<McpSession> {
  const transport = new StdioClientTransport({
    command: binaryPath("cairn"),
    args: ["mcp", ...flags],
    env: process.env as Record<string, string>,
    stderr: "pipe",
  });
  let log = "";
  transport.stderr!.on("data", (chunk: Buffer) => (log += chunk.toString()));
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const result = async (name: string, input: unknown) => {
    const asked = { name, arguments: input as Record<string, unknown> };
    const called = (await client.callTool(asked, undefined, { timeout: WAIT_LIMIT_MS })) as CallToolResult;
    const [part, ...others] = called.content;
    if (part?.type !== "text" || others.length > 0) throw new Error("expected one text");
    return { text: part.text, isError: called.isError === true };
  };
  return {
    client,
    pid: transport.pid!,
    log: () => log,
    async call(name, input = {}) {
      const { text, isError } = await result(name, input);
      if (isError) throw new Error(text);
      return text;
    },
    async refused(name, input = {}) {
      const { text, isError } = await result(name, input);
      if (!isError) throw new Error(`it was not refused: ${text}`);
      return text;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
