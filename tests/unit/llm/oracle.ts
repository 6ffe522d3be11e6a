// Reads an answer with our readers and with the widely used protocol packages (development only), into one comparable form.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { Answer } from "../../../src/service/llm/answer.ts";
import { readAnswer } from "../../../src/service/llm/client.ts";
import type { Protocol } from "../../../src/service/catalog/schema.ts";

/** Undefined tokens were not reported, or reported as nothing. */
export interface Read {
  text: string;
  reasoning: string;
  calls: { name: string; arguments: string }[];
  /** `cut` means that the provider gave no finish reason. */
  finish: string;
  input: number | undefined;
  cachedInput: number | undefined;
  output: number | undefined;
}

/** The failure of an unreadable answer, with the text before it. */
export interface Failed {
  failed: string;
  text: string;
}

const encoder = new TextEncoder();

/** Splits the bytes of a body at these positions. */
export function piecesOf(body: string, ends: readonly number[] = []): Uint8Array[] {
  const bytes = encoder.encode(body);
  const positions = [...new Set(ends.map((end) => end % (bytes.length + 1)))].sort((a, b) => a - b);
  let start = 0;
  return [...positions, bytes.length].flatMap((end) => {
    const piece = bytes.subarray(start, end);
    start = end;
    return piece.length === 0 ? [] : [piece];
  });
}

export async function ours(protocol: Protocol, pieces: readonly Uint8Array[]): Promise<Read | Failed> {
  const said = { text: "", reasoning: "" };
  const answer = new Answer({
    text: (delta) => void (said.text += delta),
    reasoning: (delta) => void (said.reasoning += delta),
    attempt: () => {},
    retryIn: () => {},
    used: () => {},
    firstChunk: () => {},
  });
  try {
    const { text, reasoning, calls, dropped, finish, usage } = await readAnswer(
      {
        isDelimited: true,
        read: async (take) => {
          for (const piece of pieces) take([piece]);
        },
      },
      protocol,
      answer,
    );
    if (text !== said.text || reasoning !== said.reasoning)
      throw new Error("what was told is not the answer");
    return {
      text,
      reasoning,
      calls: [...calls, ...dropped.map((name) => ({ name, arguments: "(dropped)" }))],
      finish: finish === "unknown" ? "cut" : finish,
      input: usage.input ?? undefined,
      cachedInput: usage.cachedInput ?? undefined,
      output: usage.output ?? undefined,
    };
  } catch (error) {
    answer.flush();
    return { failed: (error as Error).message, text: said.text };
  }
}

export async function theirs(protocol: Protocol, pieces: readonly Uint8Array[]): Promise<Read | Failed> {
  const read: Read = {
    text: "",
    reasoning: "",
    calls: [],
    finish: "cut",
    input: undefined,
    cachedInput: undefined,
    output: undefined,
  };
  try {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    });
    const { stream } = await modelOver(protocol, () =>
      Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } })),
    ).doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "hi" }] }] });
    for await (const part of stream) add(read, part);
  } catch (error) {
    return { failed: (error as Error).message, text: read.text };
  }
  // The packages do not mark a truncated call; the engine never used one.
  if (read.finish === "length" || read.finish === "filtered")
    read.calls = read.calls.map(({ name }) => ({ name, arguments: "(dropped)" }));
  return read;
}

export function modelOver(protocol: Protocol, fetch: (...given: never[]) => Promise<Response>, name = "m") {
  const settings = {
    baseURL: "http://127.0.0.1/v1",
    apiKey: "k",
    fetch: fetch as unknown as typeof globalThis.fetch,
  };
  return protocol === "anthropic"
    ? createAnthropic(settings).languageModel(name)
    : createOpenAICompatible({ ...settings, name: "provider", includeUsage: true }).languageModel(name);
}

const FINISHES: Record<string, string> = {
  "tool-calls": "calls",
  "content-filter": "filtered",
  interrupted: "cut",
  error: "cut",
};

function add(read: Read, part: LanguageModelV4StreamPart): void {
  if (part.type === "text-delta") read.text += part.delta;
  else if (part.type === "reasoning-delta") read.reasoning += part.delta;
  else if (part.type === "tool-call") read.calls.push({ name: part.toolName, arguments: part.input });
  else if (part.type === "error") {
    const { message } = part.error as { message?: string };
    if (message !== "Response stream ended without a finish reason.")
      throw new Error(message ?? JSON.stringify(part.error));
  } else if (part.type === "finish") {
    const { unified, raw } = part.finishReason;
    read.finish = unified === "other" && raw === undefined ? "cut" : (FINISHES[unified] ?? unified);
    read.input = part.usage.inputTokens.total;
    read.cachedInput = part.usage.inputTokens.cacheRead;
    read.output = part.usage.outputTokens.total;
  }
}
