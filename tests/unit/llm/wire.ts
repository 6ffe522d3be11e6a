// Generates streams as providers write them: answers in the dialects of both protocols, with all freedoms of the event stream format.

import * as fc from "fast-check";
import type { Protocol } from "../../../src/service/catalog/schema.ts";

type Json = Record<string, unknown>;

type Said =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "call"; readonly name: string; readonly args: string; readonly pieces: number };

/** One server's dialect of the Chat Completions API. */
interface Dialect {
  readonly role: "assistant" | "" | undefined;
  readonly thoughts: "reasoning_content" | "reasoning";
  /** How a tool call is identified and split. */
  readonly calls:
    | "by index"
    | "whole"
    | "whole, no index"
    | "whole, no labels"
    | "name repeated"
    | "index 0"
    | "blank id"
    | "late name";
  readonly finishApart: boolean;
  readonly usage: "none" | "at the end" | "everywhere" | "with the finish";
}

/** The freedoms of the event stream format. */
interface Form {
  readonly lineEnd: "\n" | "\r\n" | "\r";
  readonly space: boolean;
  readonly comments: boolean;
  readonly mark: boolean;
  /** JSON split across several `data:` lines. */
  readonly pretty: boolean;
  readonly doneMark: boolean;
}

const text = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
  fc.constantFrom("\n\n", "data: x\n\n", '"', "\\", "…", "🙂", "\u2028", " ", "[DONE]"),
);
const args = fc
  .dictionary(fc.constantFrom("a", "b", 'q"{'), fc.oneof(text, fc.integer(), fc.constant(null)), {
    maxKeys: 3,
  })
  .map((value) => JSON.stringify(value));
const said: fc.Arbitrary<Said> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("text", "reasoning"), text }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      name: fc.constantFrom("delegate", "agent_list", "x"),
      args,
      pieces: fc.integer({ min: 1, max: 4 }),
    }),
  },
) as fc.Arbitrary<Said>;

const dialects: fc.Arbitrary<Dialect> = fc.record({
  role: fc.constantFrom("assistant", "", undefined),
  thoughts: fc.constantFrom("reasoning_content", "reasoning"),
  calls: fc.constantFrom(
    "by index",
    "whole",
    "whole, no index",
    "whole, no labels",
    "name repeated",
    "index 0",
    "blank id",
    "late name",
  ),
  finishApart: fc.boolean(),
  usage: fc.constantFrom("none", "at the end", "everywhere", "with the finish"),
});

const forms: fc.Arbitrary<Form> = fc.record({
  lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
  space: fc.boolean(),
  comments: fc.boolean(),
  mark: fc.boolean(),
  pretty: fc.boolean(),
  doneMark: fc.boolean(),
});

const finishes = {
  "openai-compatible": fc.constantFrom(
    "stop",
    "length",
    "tool_calls",
    "content_filter",
    "function_call",
    "eos",
  ),
  anthropic: fc.constantFrom(
    "end_turn",
    "tool_use",
    "max_tokens",
    "refusal",
    "stop_sequence",
    "pause_turn",
    "new",
  ),
};

interface Streamed {
  readonly body: string;
  /** Ends of the reads, before scaling to the body. */
  readonly cuts: readonly number[];
}

/** Complete, valid streams of a protocol, split anywhere. */
export function streams(protocol: Protocol): fc.Arbitrary<Streamed> {
  return fc
    .record({
      saids: fc.array(said, { maxLength: 6 }),
      finish: finishes[protocol],
      dialect: dialects,
      form: forms,
      cuts: fc.array(fc.nat(5000), { maxLength: 12 }),
      tokens: fc.record({ input: fc.nat(9999), cached: fc.nat(99), output: fc.nat(999) }),
    })
    .map(({ saids, finish, dialect: one, form: how, cuts, tokens }) => {
      const events =
        protocol === "anthropic"
          ? messagesEvents(saids, finish, tokens)
          : chatEvents(saids, finish, one, tokens).map((data) => ({ data }));
      return { body: written(events, how, protocol), cuts };
    });
}

interface Tokens {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

function written(events: { type?: string; data: Json }[], form: Form, protocol: Protocol): string {
  const field = (name: string, value: string) => `${name}:${form.space ? " " : ""}${value}${form.lineEnd}`;
  const blocks = events.map(({ type, data }) => {
    const lines = (form.pretty ? JSON.stringify(data, null, 1) : JSON.stringify(data)).split("\n");
    const comment = form.comments
      ? `: keep-alive${form.lineEnd}id: 7${form.lineEnd}retry: 10${form.lineEnd}`
      : "";
    return `${comment}${type === undefined ? "" : field("event", type)}${lines.map((line) => field("data", line)).join("")}${form.lineEnd}`;
  });
  const done = protocol === "anthropic" || !form.doneMark ? "" : `${field("data", "[DONE]")}${form.lineEnd}`;
  // The packages recognise a lone carriage return as the end of a line only if more data follows.
  return `${form.mark ? "\uFEFF" : ""}${blocks.join("")}${done}: end${form.lineEnd}`;
}

function cutUp(value: string, pieces: number): string[] {
  const size = Math.max(1, Math.ceil(value.length / pieces));
  return Array.from({ length: Math.ceil(value.length / size) }, (_, n) =>
    value.slice(n * size, (n + 1) * size),
  );
}

function chatEvents(saids: readonly Said[], finish: string, dialect: Dialect, tokens: Tokens): Json[] {
  const deltas: Json[] = [];
  if (dialect.role !== undefined) deltas.push({ role: dialect.role, content: "" });
  let count = 0;
  for (const one of saids) {
    if (one.kind === "text") deltas.push({ content: one.text });
    else if (one.kind === "reasoning") deltas.push({ content: null, [dialect.thoughts]: one.text });
    else deltas.push(...callDeltas(one, count++, dialect.calls).map((call) => ({ tool_calls: [call] })));
  }
  const chunks: Json[] = deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
  const last = chunks.at(-1)?.["choices"] as Json[] | undefined;
  if (last && !dialect.finishApart) last[0]!["finish_reason"] = finish;
  else chunks.push({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  const usage = {
    prompt_tokens: tokens.input,
    completion_tokens: tokens.output,
    prompt_tokens_details: { cached_tokens: tokens.cached },
  };
  if (dialect.usage === "everywhere") for (const chunk of chunks) chunk["usage"] = usage;
  if (dialect.usage === "with the finish") chunks.at(-1)!["usage"] = usage;
  if (dialect.usage === "at the end") {
    for (const chunk of chunks) chunk["usage"] = null;
    chunks.push({ choices: [], usage });
  }
  return chunks.map((chunk) => ({ id: "c", object: "chat.completion.chunk", model: "m", ...chunk }));
}

function callDeltas(
  { name, args: json, pieces }: Extract<Said, { kind: "call" }>,
  count: number,
  labels: Dialect["calls"],
): Json[] {
  const id = `call_${count}`;
  const whole = { function: { name, arguments: json } };
  if (labels === "whole") return [{ index: count, id, type: "function", ...whole }];
  if (labels === "whole, no index") return [{ id, ...whole }];
  if (labels === "whole, no labels") return [whole];
  if (labels === "index 0") return [{ index: 0, id, ...whole }];
  const [first = "", ...others] = cutUp(json, pieces);
  if (labels === "late name")
    return [
      { index: count, id, function: { arguments: "" } },
      { index: count, function: { name, arguments: first } },
      ...others.map((piece) => ({ index: count, function: { arguments: piece } })),
    ];
  const begin = { index: count, id, type: "function", function: { name, arguments: first } };
  return [
    begin,
    ...others.map((piece) => {
      if (labels === "name repeated") return { index: count, id, function: { name, arguments: piece } };
      if (labels === "blank id") return { index: count, id: "", function: { name: "", arguments: piece } };
      return { index: count, function: { arguments: piece } };
    }),
  ];
}

function messagesEvents(
  saids: readonly Said[],
  finish: string,
  tokens: Tokens,
): { type: string; data: Json }[] {
  const events: Json[] = [];
  const usage = {
    input_tokens: tokens.input,
    cache_read_input_tokens: tokens.cached,
    cache_creation_input_tokens: 3,
  };
  events.push({
    type: "message_start",
    message: {
      id: "m",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      usage: { ...usage, output_tokens: 1 },
    },
  });
  events.push({ type: "ping" });
  saids.forEach((one, index) => {
    const block =
      one.kind === "text"
        ? { type: "text", text: "" }
        : one.kind === "reasoning"
          ? { type: "thinking", thinking: "", signature: "" }
          : { type: "tool_use", id: `t${index}`, name: one.name, input: {} };
    events.push({ type: "content_block_start", index, content_block: block });
    for (const delta of messagesDeltas(one)) events.push({ type: "content_block_delta", index, delta });
    events.push({ type: "content_block_stop", index });
  });
  events.push({
    type: "message_delta",
    delta: { stop_reason: finish, stop_sequence: null },
    usage: { output_tokens: tokens.output },
  });
  events.push({ type: "message_stop" });
  return events.map((data) => ({ type: String(data["type"]), data }));
}

function messagesDeltas(one: Said): Json[] {
  if (one.kind === "text") return [{ type: "text_delta", text: one.text }];
  if (one.kind === "reasoning")
    return [
      { type: "thinking_delta", thinking: one.text },
      { type: "signature_delta", signature: "s" },
    ];
  return ["", ...cutUp(one.args, one.pieces)].map((piece) => ({
    type: "input_json_delta",
    partial_json: piece,
  }));
}
