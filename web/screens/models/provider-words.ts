// Providers in words: what their types are called, and what a new one is named until somebody names it.

import type { Provider, ProviderType } from "../../../src/service/catalog/schema.ts";

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
