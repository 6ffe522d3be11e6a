// One model call: request out, answer streamed in. Both protocols come through their libraries as one stream of parts.
// The libraries are loaded by the first call, so that a start does not pay for them.

import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ModelEndpoint } from "../catalog/models.ts";
import {
  ModelFailure,
  NO_USAGE,
  type CallModel,
  type ModelAnswer,
  type ModelListener,
  type TokenUsage,
} from "./model.ts";
import { toPrompt, toTools } from "./prompt.ts";
import { CONNECTION_LOST, providerFetch, streamFailure, type TransportDeps } from "./transport.ts";

const ANSWER_CHARACTERS_MAX = 4 * 1024 * 1024;

/** Given to the libraries in place of the key, which only the transport knows. */
const KEY_PLACEHOLDER = "set-by-transport";

type Fetch = ReturnType<typeof providerFetch>;

export function createModelClient(deps: TransportDeps): CallModel {
  const libraries = new Libraries();
  return async (endpoint, request, listener, signal) => {
    const fetch = providerFetch(deps, { endpoint, signal, attempt: (count) => listener.attempt(count) });
    const reading = new Reading(endpoint, listener);
    const call = libraries.begin(fetch);
    try {
      const model = await libraries.model(endpoint);
      const { stream } = await model.doStream({
        prompt: toPrompt(request),
        ...(request.tools.length > 0
          ? { tools: toTools(request), toolChoice: { type: request.mayCall ? "auto" : "none" } }
          : {}),
        ...(endpoint.outputTokens === null ? {} : { maxOutputTokens: endpoint.outputTokens }),
        abortSignal: signal,
        headers: { [CALL_HEADER]: call },
      });
      await readAll(stream, reading);
    } catch (error) {
      signal.throwIfAborted();
      throw streamFailure(error, endpoint.apiKey);
    } finally {
      libraries.end(call);
    }
    signal.throwIfAborted();
    return reading.answer();
  };
}

/** Tells the one `fetch` of a library's model which call it is for; never sent. */
const CALL_HEADER = "x-cairn-call";
const MODELS_KEPT_MAX = 200;

/**
 * The protocol libraries' model objects, kept: each compiles its own validators when first used, which takes milliseconds. They are shared
 * by calls, so each call's own transport is found by a header.
 */
class Libraries {
  readonly #models = new Map<string, Promise<LanguageModelV4>>();
  readonly #calls = new Map<string, Fetch>();
  #count = 0;

  begin(fetch: Fetch): string {
    const call = String(++this.#count);
    this.#calls.set(call, fetch);
    return call;
  }

  end(call: string): void {
    this.#calls.delete(call);
  }

  model(endpoint: ModelEndpoint): Promise<LanguageModelV4> {
    const key = JSON.stringify([endpoint.protocol, endpoint.baseUrl, endpoint.modelName]);
    const known = this.#models.get(key);
    if (known) return known;
    if (this.#models.size >= MODELS_KEPT_MAX) this.#models.clear();
    const model = languageModel(endpoint, (input, init) => this.#fetch(input, init));
    this.#models.set(key, model);
    return model;
  }

  #fetch: Fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    const fetch = this.#calls.get(headers.get(CALL_HEADER) ?? "");
    if (!fetch) return Promise.reject(new Error("a model call without its transport"));
    headers.delete(CALL_HEADER);
    return fetch(input, { ...init, headers });
  };
}

/** A reading that breaks off lets go of the connection. */
async function readAll(stream: ReadableStream<LanguageModelV4StreamPart>, reading: Reading): Promise<void> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      reading.take(value);
    }
  } catch (error) {
    await reader.cancel(error).catch(() => {});
    throw error;
  }
}

async function languageModel(endpoint: ModelEndpoint, fetch: Fetch): Promise<LanguageModelV4> {
  const settings = {
    baseURL: libraryUrl(endpoint),
    apiKey: KEY_PLACEHOLDER,
    fetch: fetch as typeof globalThis.fetch,
  };
  if (endpoint.protocol === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic(settings).languageModel(endpoint.modelName);
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({ ...settings, name: "provider", includeUsage: true }).languageModel(
    endpoint.modelName,
  );
}

/** The Messages API's address is given without its version, as its vendor writes it; the library wants it with. */
function libraryUrl(endpoint: ModelEndpoint): string {
  if (endpoint.protocol !== "anthropic" || endpoint.baseUrl.endsWith("/v1")) return endpoint.baseUrl;
  return `${endpoint.baseUrl}/v1`;
}

/** Collects the parts of one answer and passes text on as it comes. */
class Reading {
  readonly #endpoint: ModelEndpoint;
  readonly #listener: ModelListener;
  readonly #calls: { name: string; arguments: string }[] = [];
  /** Names of calls that have begun, by the library's id; a complete one is in `#calls` as well. */
  readonly #begun = new Map<string, string>();
  #text = "";
  #reasoning = "";
  #characters = 0;
  #finish: ModelAnswer["finish"] | undefined;
  #usage = NO_USAGE;
  #started = false;

  constructor(endpoint: ModelEndpoint, listener: ModelListener) {
    this.#endpoint = endpoint;
    this.#listener = listener;
  }

  take(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case "text-delta":
        this.#begin();
        this.#count(part.delta);
        this.#text += part.delta;
        if (part.delta !== "") this.#listener.text(part.delta);
        break;
      case "reasoning-delta":
        this.#begin();
        this.#count(part.delta);
        this.#reasoning += part.delta;
        if (part.delta !== "") this.#listener.reasoning(part.delta);
        break;
      case "tool-input-start":
        this.#begin();
        this.#begun.set(part.id, part.toolName);
        break;
      case "tool-input-delta":
        this.#count(part.delta);
        break;
      case "tool-call":
        this.#begin();
        this.#begun.set(part.toolCallId, part.toolName);
        this.#calls.push({ name: part.toolName, arguments: part.input });
        break;
      case "finish":
        this.#finish = finishOf(part.finishReason.unified, part.finishReason.raw);
        this.#usage = usageOf(part.usage);
        break;
      case "error":
        throw streamFailure(part.error, this.#endpoint.apiKey);
    }
  }

  /** Raises ModelFailure for an answer that is none: cut off, or empty. */
  answer(): ModelAnswer {
    if (this.#finish === undefined) throw new ModelFailure(CONNECTION_LOST);
    const isCut = this.#finish === "length" || this.#finish === "filtered";
    const calls = isCut ? [] : this.#calls;
    const dropped = isCut ? [...this.#begun.values()] : [];
    if (this.#text.trim() === "" && calls.length === 0)
      throw new ModelFailure(emptyMessage(this.#finish, dropped), undefined, this.#usage);
    return {
      text: this.#text,
      reasoning: this.#reasoning,
      calls,
      dropped,
      finish: this.#finish,
      usage: this.#usage,
    };
  }

  #count(delta: string): void {
    this.#characters += delta.length;
    if (this.#characters <= ANSWER_CHARACTERS_MAX) return;
    throw new ModelFailure(`the provider's answer is larger than ${ANSWER_CHARACTERS_MAX} characters`);
  }

  #begin(): void {
    if (this.#started) return;
    this.#started = true;
    this.#listener.firstChunk();
  }
}

/** Undefined: the stream ended without the provider saying why, so it was cut. */
function finishOf(unified: string, raw: string | undefined): ModelAnswer["finish"] | undefined {
  if (unified === "interrupted" || unified === "error") return undefined;
  if (unified === "stop" || unified === "length") return unified;
  if (unified === "tool-calls") return "calls";
  if (unified === "content-filter") return "filtered";
  return raw === undefined ? undefined : "other";
}

function emptyMessage(finish: ModelAnswer["finish"], dropped: readonly string[]): string {
  const half = dropped.length === 0 ? "" : `; dropped an incomplete call of ${dropped.join(", ")}`;
  if (finish === "length")
    return `the model reached its length limit before it said anything that can be used${half}`;
  if (finish === "filtered") return `the provider's content filter withheld the answer${half}`;
  return "the model gave an empty answer";
}

/** A chunk that reports output only leaves a false zero for input behind: told apart by the raw report. */
function usageOf(usage: LanguageModelV4Usage): TokenUsage {
  const raw = usage.raw as { prompt_tokens?: unknown; input_tokens?: unknown } | undefined;
  const inputReported =
    raw === undefined || raw.prompt_tokens !== undefined || raw.input_tokens !== undefined;
  return {
    input: inputReported ? (usage.inputTokens.total ?? null) : null,
    cachedInput: usage.inputTokens.cacheRead ?? null,
    output: usage.outputTokens.total ?? null,
  };
}
