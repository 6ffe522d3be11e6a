// The addresses and headers of the providers' protocols, for listing models and for calling them.

import type { Protocol } from "./schema.ts";

export interface ProviderAccess {
  readonly protocol: Protocol;
  readonly baseUrl: string;
  readonly apiKey: string;
}

export function endpointUrl({ protocol, baseUrl }: ProviderAccess, path: string): string {
  // Anthropic documents its base address without the version.
  const version = protocol === "anthropic" && !baseUrl.endsWith("/v1") ? "/v1" : "";
  return `${baseUrl}${version}${path}`;
}

/** Includes no key header if there is no key, rather than an empty one. */
export function protocolHeaders({ protocol, apiKey }: ProviderAccess): Record<string, string> {
  if (protocol === "openai-compatible") return apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` };
  const version = { "anthropic-version": "2023-06-01" };
  return apiKey === "" ? version : { ...version, "x-api-key": apiKey };
}
