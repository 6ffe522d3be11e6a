// The addresses and headers of the providers' protocols, for listing models and for calling them.

import type { Protocol } from "./schema.ts";

export interface ProviderAccess {
  readonly protocol: Protocol;
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** The headers with the key: the protocol's own, or also a bearer token, which some gateways of the Messages API demand. */
export type KeyHeaders = "own" | "both";

export function endpointUrl({ protocol, baseUrl }: ProviderAccess, path: string): string {
  // Anthropic documents its base address without the version.
  const version = protocol === "anthropic" && !baseUrl.endsWith("/v1") ? "/v1" : "";
  return `${baseUrl}${version}${path}`;
}

/** Includes no key header if there is no key, rather than an empty one. */
export function protocolHeaders(
  { protocol, apiKey }: ProviderAccess,
  keyHeaders: KeyHeaders = "own",
): Record<string, string> {
  const bearer = apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` };
  if (protocol === "openai-compatible") return bearer;
  const version = { "anthropic-version": "2023-06-01" };
  if (apiKey === "") return version;
  return { ...version, "x-api-key": apiKey, ...(keyHeaders === "both" ? bearer : {}) };
}
