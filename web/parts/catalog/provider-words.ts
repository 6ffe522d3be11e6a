// Names for providers: their types, the suggested name of a new one, and the explanation of a failed test.

import type { Provider, ProviderTest, ProviderType } from "../../../src/service/catalog/schema.ts";
import { capitalized } from "../../kit/format.ts";

export type NewType = "anthropic" | "openai-compatible";

export const ANTHROPIC_ADDRESS = "https://api.anthropic.com";

export const typeChoices: readonly {
  readonly value: NewType;
  readonly title: string;
  readonly text: string;
}[] = [
  {
    value: "anthropic",
    title: "Anthropic",
    text: "Claude models, from Anthropic or any server with its Messages API.",
  },
  {
    value: "openai-compatible",
    title: "OpenAI-compatible",
    text: "OpenAI, or any server with its Chat Completions API: Ollama, vLLM, llama.cpp, a gateway.",
  },
];

/** API clients may use either of two names for each type. */
export function isAnthropic(type: ProviderType): boolean {
  return type === "anthropic" || type === "vendor-a";
}

export function typeTitle(type: ProviderType): string {
  if (type === "example") return "Built-in example";
  return isAnthropic(type) ? "Anthropic" : "OpenAI-compatible";
}

/** The server accepts these names only (catalog/schema.ts). */
export const EXAMPLE_PROVIDER_NAME = "Built-in example";
export const EXAMPLE_MODEL_NAME = "example";
export const EXAMPLE_MODEL_LABEL = "Built-in example (not a model)";

/** The built-in script, which is no model. */
export function isExample(type: ProviderType): boolean {
  return type === "example";
}

/** Why a test failed, in the provider's own words if it gave any, and what to try. */
export function failureWords(
  provider: Provider,
  { status, message }: ProviderTest,
): [why: string, now: string] {
  const why = capitalized(message);
  if (status === null)
    return [`${why}: ${provider.base_url}`, "Check the address, and that the server is running."];
  if (status === 401 || status === 403) return [why, "The key was rejected. Enter another one."];
  if (status !== 404) return [why, ""];
  return [
    `${why}: ${provider.base_url}`,
    isAnthropic(provider.type)
      ? "Include the path before /v1/messages, if there is one."
      : "The address often ends in /v1. If the server has no list, type the name of a model.",
  ];
}

/** Returns a name that no other provider has. */
export function suggestedName(type: NewType, address: string, others: readonly Provider[]): string {
  const host = URL.parse(address.trim())?.host;
  const base = host || typeTitle(type);
  const taken = new Set(others.map(({ name }) => name.toLowerCase()));
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base} ${count}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}
