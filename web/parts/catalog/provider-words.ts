// Providers in words: what their types are called, and what a new one is named until somebody names it.

import type { Provider, ProviderTest, ProviderType } from "../../../src/service/catalog/schema.ts";

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
    text: "Claude models, from Anthropic or a server that speaks its Messages API.",
  },
  {
    value: "openai-compatible",
    title: "OpenAI-compatible",
    text: "OpenAI, or a server that speaks its Chat Completions API: Ollama, vLLM, llama.cpp, a gateway.",
  },
];

/** The two other words for the same types are what an API client may have given. */
export function isAnthropic(type: ProviderType): boolean {
  return type === "anthropic" || type === "vendor-a";
}

export function typeTitle(type: ProviderType): string {
  return isAnthropic(type) ? "Anthropic" : "OpenAI-compatible";
}

/** Why a provider could not be used, and what to try; the provider's own words when it said some. */
export function failureWords(
  provider: Provider,
  { status, message }: ProviderTest,
): [why: string, now: string] {
  const why = message.charAt(0).toUpperCase() + message.slice(1);
  if (status === null)
    return [`${why}: ${provider.base_url}`, "Is this the address, and does the server run?"];
  if (status === 401 || status === 403) return [why, "The key is not accepted there: give another one."];
  if (status !== 404) return [why, ""];
  return [
    `${why}: ${provider.base_url}`,
    isAnthropic(provider.type) ? "The address ends before /v1." : "The address often ends in /v1.",
  ];
}

/** A name that none of the others has. */
export function suggestedName(type: NewType, address: string, others: readonly Provider[]): string {
  const host = URL.parse(address.trim())?.host;
  const base = host || typeTitle(type);
  const taken = new Set(others.map(({ name }) => name.toLowerCase()));
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base} ${count}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}
