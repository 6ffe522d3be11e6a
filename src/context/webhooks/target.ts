// Checks the URL of a webhook when it is saved. Every connection is checked again (kit/outbound.ts).

import { fieldError } from "../../kit/error.ts";
import { checkedEndpoints, OutboundFailure, type Network } from "../../kit/network/outbound.ts";
import { URL_CHARACTERS_MAX } from "./schema.ts";

/** Returns the URL in its normal form. Raises `invalid`, and `refused` for a place inside the network. */
export async function checkedTarget(network: Network, text: string): Promise<string> {
  const url = URL.parse(text);
  if (!url || text.length > URL_CHARACTERS_MAX)
    throw fieldError("invalid", "url", "expected a URL such as https://example.org/hook");
  if (url.username !== "" || url.password !== "" || url.hash !== "")
    throw fieldError("invalid", "url", "must not contain credentials or a fragment");
  try {
    await checkedEndpoints(network, { url, schemes: ["http", "https"] });
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    const { couldBeAllowed } = error;
    const remedy = couldBeAllowed ? "; to allow it, set webhooks.allow_private_targets in server.yaml" : "";
    const code = error.problem === "refused" ? "refused" : "invalid";
    throw fieldError(code, "url", `${error.message}${remedy}`);
  }
  return url.href;
}
