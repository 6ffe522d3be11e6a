// Goal: both protocols accept the request of any conversation, whatever crashes, stops and forgetting have left of it.

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { assemble, toRequest, type ThreadEntry } from "../../../src/service/conversation/assembly.ts";
import {
  formatReferences,
  parseReferences,
  addEntry,
  type Reference,
} from "../../../src/service/conversation/references.ts";
import { createModelClient } from "../../../src/service/llm/client.ts";
import type { ModelRequest, ToolSpec } from "../../../src/service/llm/model.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import type { Protocol } from "../../../src/service/catalog/schema.ts";
import { validateChatRequest, validateMessagesRequest } from "../../kit/model/index.ts";

const TOOLS: ToolSpec[] = ["delegate", "agent_list"].map((name) => ({
  name,
  description: name,
  parameters: { type: "object", properties: {} },
}));
const none = {
  kind: "agent",
  text: "",
  calls: [],
  callId: null,
  tool: null,
  outcome: null,
  truncated: null,
  tainted: false,
  forgotten: false,
} as const;

/** Returns the body of a request, captured before it leaves the process. */
async function bodyOf(protocol: Protocol, request: ModelRequest): Promise<unknown> {
  let body: unknown;
  using provider = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(incoming) {
      body = await incoming.json();
      return new Response("", { status: 400 });
    },
  });
  const callModel = createModelClient({
    clock: systemClock,
    times: { firstByteMs: 5000, silenceMs: 5000, retryWaitsMs: [] },
    destination: (url) => Promise.resolve({ url, headers: {} }),
  });
  const prices = { input: null, cachedInput: null, output: null };
  const endpoint = {
    modelId: 1,
    modelName: "m",
    label: "m",
    protocol,
    providerId: 1,
    providerName: "p",
    baseUrl: provider.url.origin,
    apiKey: "k",
    prices,
    contextTokens: null,
    outputTokens: null,
    accepts: { images: true, pdfs: true },
  };
  const listener = {
    text: () => {},
    reasoning: () => {},
    attempt: () => {},
    retryIn: () => {},
    used: () => {},
    firstChunk: () => {},
  };
  await callModel(endpoint, request, listener, new AbortController().signal).catch(() => {});
  return body;
}

const text = fc.oneof(fc.constantFrom("", " ", "\n", "\u0000", "hello", "é𝄞"), fc.string({ maxLength: 12 }));
const json = fc.oneof(
  fc.constantFrom("", "{", "[1]", "null", '"x"', "{}", '{"a":1}'),
  fc.json({ maxDepth: 2 }),
);
const toolName = fc.oneof(
  fc.constantFrom("delegate", "agent_list", "", "web search!", "x".repeat(200)),
  fc.string({ maxLength: 8 }),
);
const askedFor = fc.record({
  name: toolName,
  arguments: json,
  answered: fc.boolean(),
  result: text,
  forgotten: fc.boolean(),
  late: fc.boolean(),
});
const turn = fc.record({
  kind: fc.constantFrom("person", "task", "agent" as const),
  text,
  forgotten: fc.boolean(),
  calls: fc.array(askedFor, { maxLength: 3 }),
});

/** Generates possible entries: results missing, late or forgotten, partial answers, and any kind first. */
const threads = fc.array(turn, { maxLength: 8 }).map((turns) => {
  const entries: Omit<ThreadEntry, "id">[] = [];
  const late: Omit<ThreadEntry, "id">[] = [];
  for (const [n, each] of turns.entries()) {
    const calls = each.kind === "agent" ? each.calls : [];
    const ids = calls.map((_, position) => `call_${n}_${position}`);
    const asked = calls.map((call, position) => ({
      id: ids[position]!,
      name: call.name,
      arguments: call.arguments,
    }));
    entries.push({ ...none, kind: each.kind, text: each.text, calls: asked, forgotten: each.forgotten });
    for (const [position, call] of calls.entries()) {
      const result = {
        ...none,
        kind: "tool" as const,
        text: call.result,
        callId: ids[position]!,
        tool: call.name,
        outcome: "ok" as const,
        forgotten: call.forgotten,
      };
      if (call.answered) (call.late ? late : entries).push(result);
    }
  }
  return [...entries, ...late].map((entry, index): ThreadEntry => ({ ...entry, id: index + 1 }));
});

const READER = { id: 1, label: "m", protocol: "anthropic", accepts: { images: true, pdfs: true } } as const;

const inputs = fc.record({
  thread: threads,
  role: text,
  tools: fc.constantFrom(TOOLS, []),
  mayCall: fc.boolean(),
  limited: fc.boolean(),
});

test("makes a valid request of every thread in both protocols", async () => {
  const property = fc.asyncProperty(inputs, async ({ thread, role, tools, mayCall, limited }) => {
    const notice = limited ? { notice: { source: "notice:limit", text: "Stop here." } } : {};
    const parts = assemble({ agent: { id: 1, role }, tools, thread, reader: READER, ...notice });
    const request = toRequest(parts, { mayCall });
    expect(validateMessagesRequest(await bodyOf("anthropic", request))).toEqual([]);
    expect(validateChatRequest(await bodyOf("openai-compatible", request))).toEqual([]);
  });
  await fc.assert(property, { numRuns: 150 });
});

test("adds nothing to a draft", () => {
  const person: ThreadEntry = { ...none, id: 1, kind: "person", text: "hi" };
  const answer: ThreadEntry = { ...none, id: 2, text: "hello" };
  const sources = (thread: ThreadEntry[], draft: boolean) =>
    assemble({ agent: { id: 7, role: "r" }, tools: [], thread, reader: READER, draft }).map(
      (part) => part.source,
    );
  expect(sources([], true)).toEqual(["agent:7"]);
  expect(sources([], false)).toEqual(["agent:7", "notice:empty"]);
  expect(sources([person, answer], true)).toEqual(["agent:7", "entry:1", "entry:2"]);
  expect(sources([person, answer], false)).toEqual(["agent:7", "entry:1", "entry:2", "notice:continue"]);
});

test("formats and parses references, and ranges contain exactly the added entries", () => {
  const property = fc.property(
    fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant("part" as const)), { maxLength: 30 }),
    (items) => {
      const references: Reference[] = [];
      let entry = 0;
      const named: number[] = [];
      for (const item of items) {
        if (item === "part") references.push({ kind: "part", id: 3 });
        else {
          entry += item > 5 ? 1 : item;
          named.push(entry);
          addEntry(references, entry);
        }
      }
      const back = parseReferences(formatReferences(references));
      expect(back).toEqual(references);
      const entries = back.flatMap((each) =>
        each.kind === "part" ? [] : Array.from({ length: each.to - each.from + 1 }, (_, n) => each.from + n),
      );
      expect(entries).toEqual(named);
    },
  );
  fc.assert(property);
});
