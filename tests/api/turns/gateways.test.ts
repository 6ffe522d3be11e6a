// Goal: complete answers of gateways are accepted (a document instead of a stream, a stream without a finish reason, a body that stays open), but
// a lost connection is a failure.

import { describe, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import type { Step } from "../../kit/model/index.ts";
import { type Protocol, protocols, QUICK, world } from "../../kit/service/world.ts";

const DOCUMENTS: Record<Protocol, object> = {
  anthropic: {
    type: "message",
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "Here." },
      { type: "tool_use", id: "t", name: "agent_list", input: {} },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 5, output_tokens: 2 },
  },
  "openai-compatible": {
    object: "chat.completion",
    choices: [
      {
        message: {
          role: "assistant",
          content: "Here.",
          reasoning_content: "hm",
          tool_calls: [{ id: "t", type: "function", function: { name: "agent_list", arguments: "{}" } }],
        },
        finish_reason: "tool_calls",
      },
    ],
    usage: { prompt_tokens: 5, completion_tokens: 2 },
  },
};

const eventOf = (value: object | string) =>
  `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
const SAID = eventOf({ choices: [{ delta: { content: "All of it." } }] });
const STREAMS: Record<Protocol, string> = {
  anthropic: [
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "All of it." } },
    { type: "message_delta", delta: { stop_reason: "end_turn" } },
    { type: "message_stop" },
  ]
    .map(eventOf)
    .join(""),
  "openai-compatible": SAID + eventOf("[DONE]"),
};

const json = (value: object, contentType = "application/json"): Step => ({
  kind: "raw",
  text: JSON.stringify(value),
  contentType,
});

describe.each(protocols)("%s", (protocol) => {
  test.each(["application/json", "text/event-stream", "text/plain"])(
    "accepts one document of type %s in place of a stream",
    async (contentType) => {
      await using lab = await world({ protocol, times: QUICK });
      const document = DOCUMENTS[protocol];
      lab.model.script("boss", [json(document, contentType), json(withoutCalls(document), contentType)]);
      const { turn, events } = await lab.chat("hello");
      expect(turn).toMatchObject({ status: "done", error: null });
      const entries = events.filter((event) => event.type === "entry").map((event) => event.data.data.entry);
      expect(entries.slice(1)).toMatchObject([
        { kind: "agent", text: "Here.", reasoning: "hm" },
        { kind: "tool", tool: "agent_list", outcome: "ok" },
        { kind: "agent", text: "Here." },
      ]);
      expect(await lab.calls(turn.id)).toMatchObject([
        { status: "done", finish: "calls", input_tokens: 5, output_tokens: 2 },
        { status: "done", finish: "stop" },
      ]);
    },
  );

  test("accepts an event stream with the content type of a document", async () => {
    await using lab = await world({ protocol, times: QUICK });
    lab.model.script("boss", [{ kind: "raw", text: STREAMS[protocol], contentType: "application/json" }]);
    expect((await lab.chat("hello")).turn).toMatchObject({ status: "done", error: null });
    expect((await lab.conversation()).at(-1)).toBe("agent: All of it.");
  });

  test("refuses any other document, with its message", async () => {
    await using lab = await world({ protocol, times: QUICK });
    lab.model.script("boss", [json({ error: { message: "no credit" } })]);
    expect((await lab.chat("hello")).turn).toMatchObject({
      status: "failed",
      error: "the provider answered with something other than an event stream: no credit",
    });
  });
});

function withoutCalls(document: object): object {
  const text = JSON.stringify(document, (key, value: unknown) => (key === "tool_calls" ? undefined : value))
    .replace(/,\{"type":"tool_use"[^}]*\{\}\}/, "")
    .replace(/"tool_(use|calls)"/, (_, kind) => (kind === "use" ? '"end_turn"' : '"stop"'));
  return JSON.parse(text) as object;
}

const STREAM_HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
const HALF_CALL = eventOf({
  choices: [
    { delta: { tool_calls: [{ index: 0, id: "t", function: { name: "agent_list", arguments: '{"x' } }] } },
  ],
});
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const LOST = "the connection to the provider was lost in the middle of its answer";

const ends: { name: string; answer: (socket: Socket) => void; turn: object; finish: string | null }[] = [
  {
    name: "a body that ends with its last chunk, without a finish reason",
    answer: (socket) => socket.end(`${STREAM_HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk(SAID)}0\r\n\r\n`),
    turn: { status: "done", error: null },
    finish: "unknown",
  },
  {
    name: "an incomplete call beside text, which is dropped",
    answer: (socket) =>
      socket.end(`${STREAM_HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk(SAID + HALF_CALL)}0\r\n\r\n`),
    turn: { status: "done", error: null },
    finish: "unknown",
  },
  {
    name: "a body that ends with its connection, after the end marker",
    answer: (socket) => socket.end(`${STREAM_HEAD}Connection: close\r\n\r\n${SAID}${eventOf("[DONE]")}`),
    turn: { status: "done", error: null },
    finish: "unknown",
  },
  {
    name: "a body that stays open after the end marker",
    answer: (socket) =>
      socket.write(`${STREAM_HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk(SAID + eventOf("[DONE]"))}`),
    turn: { status: "done", error: null },
    finish: "unknown",
  },
  {
    name: "a body that ends with its connection, without an end marker",
    answer: (socket) => socket.end(`${STREAM_HEAD}Connection: close\r\n\r\n${SAID}`),
    turn: { status: "failed", error: LOST },
    finish: null,
  },
  {
    name: "a connection that ends between two chunks",
    answer: (socket) => socket.end(`${STREAM_HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk(SAID)}`),
    turn: { status: "failed", error: LOST },
    finish: null,
  },
  {
    name: "a connection that is reset",
    answer: (socket) =>
      socket.write(`${STREAM_HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk(SAID)}`, () =>
        socket.resetAndDestroy(),
      ),
    turn: { status: "failed", error: LOST },
    finish: null,
  },
];

test.each(ends)("$name", async ({ answer, turn, finish }) => {
  await using lab = await world({ protocol: "openai-compatible", times: { ...QUICK, silenceMs: 30_000 } });
  await using gateway = await rawServer(answer);
  const provider = await lab.admin.post("/providers", {
    name: "gateway",
    type: "openai-compatible",
    base_url: gateway.url,
    api_key: "k",
  });
  const model = await lab.admin.post("/models", { provider_id: provider.id, model_name: "m" });
  await lab.admin.patch(`/agents/${lab.orchestratorId}`, { model_id: model.id });
  const { turn: ended } = await lab.chat("hello");
  expect(ended).toMatchObject(turn);
  expect(await lab.calls(ended.id)).toMatchObject([{ finish, attempts: 1 }]);
  // After a reset, the reader may see only the reset.
  const said = (await lab.conversation()).slice(1);
  if (finish === "unknown") expect(said).toEqual(["agent: All of it."]);
  else expect(["", "agent (partial): All of it."]).toContain(said.join());
});

/** A server that reads a request and lets `answer` write to the socket. */
async function rawServer(answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    let received = "";
    let isAnswered = false;
    socket.on("data", (bytes: Buffer) => {
      received += bytes.toString("latin1");
      if (isAnswered || !received.includes('"include_usage":true}}')) return;
      isAnswered = true;
      answer(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/v1`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
