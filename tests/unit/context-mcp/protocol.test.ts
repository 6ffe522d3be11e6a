// Goal: the MCP server bounds what it does at once, tells a defect from a refusal, and ends only after the calls in progress.

import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import { serveMcp } from "../../../src/context/mcp/protocol.ts";
import { AppError } from "../../../src/kit/error.ts";
import { eventually } from "../../kit/eventually.ts";

interface Answer {
  readonly id: number;
  readonly result: { readonly content: readonly { readonly text: string }[]; readonly isError?: boolean };
}

/** A server whose space is lent by `use`. */
function served(use: () => Promise<never>) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answers: Answer[] = [];
  let rest = "";
  output.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop()!;
    answers.push(...lines.map((line) => JSON.parse(line) as Answer));
  });
  const logged: string[] = [];
  const note = (message: string) => void logged.push(message);
  const log = { debug: note, info: note, warn: note, error: note };
  const stop = new Promise<never>(() => {});
  const ended = serveMcp({ use: use as never, writes: false, input, output, log, stop });
  const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  send({ id: 0, method: "initialize", params });
  send({ method: "notifications/initialized" });
  const call = (id: number) => send({ id, method: "tools/call", params: { name: "status", arguments: {} } });
  return { input, answers, logged, ended, call, text: (answer: Answer) => answer.result.content[0]!.text };
}

test("of more calls than may wait the last are refused at once, and the others run eight at a time", async () => {
  const gate = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const server = served(async () => {
    most = Math.max(most, ++running);
    await gate.promise;
    running -= 1;
    throw new AppError("not_found", "no space");
  });
  for (let id = 1; id <= 1_020; id++) server.call(id);
  await eventually(() => server.answers.length, 1 + 12);
  const refused = server.answers.slice(1);
  expect(refused.map(({ id }) => id)).toEqual(Array.from({ length: 12 }, (_, index) => 1_009 + index));
  expect(new Set(refused.map(server.text))).toEqual(
    new Set(["rate_limited: too many calls at once; wait for their answers"]),
  );
  gate.resolve();
  await eventually(() => server.answers.length, 1 + 1_020);
  expect(most).toBe(8);
  expect(server.text(server.answers.at(-1)!)).toBe("not_found: no space");
  server.input.end();
  await server.ended;
});

test("a defect is told without its words, which go to the log", async () => {
  const server = served(() => Promise.reject(new TypeError("x of /srv/private is not a function")));
  server.call(1);
  await eventually(() => server.answers.length, 2);
  expect(server.answers[1]!.result).toEqual({
    content: [{ type: "text", text: "internal: unexpected failure; see the log of the server" } as never],
    isError: true,
  });
  expect(server.logged).toEqual(["a call failed"]);
  server.input.end();
  await server.ended;
});

test("the end of the input waits for the calls in progress", async () => {
  const gate = Promise.withResolvers<void>();
  const server = served(async () => {
    await gate.promise;
    throw new AppError("unavailable", "late");
  });
  server.call(1);
  await eventually(() => server.answers.length, 1);
  server.input.end();
  gate.resolve();
  await server.ended;
  expect(server.answers.map(({ id }) => id)).toEqual([0, 1]);
});
