// Asks a provider for its models. This sends the key, so only an admin may ask, and the request goes to the provider's own address and follows
// no redirects. Time and size are bounded, and a failure is a result, not an error.

import { boundedBody } from "../../kit/network/bounded-body.ts";
import { excessIn } from "../../kit/text/json-shape.ts";
import { plural } from "../../kit/text/amounts.ts";
import { isObject, parsedJson } from "../../kit/text/parsed-json.ts";
import type { Destination } from "./destination.ts";
import { endpointUrl, protocolHeaders, type KeyHeaders, type ProviderAccess } from "./endpoints.ts";
import { networkFailure, providerMessage, scrubKey } from "./failures.ts";
import { LISTED_MODELS_MAX, MODEL_NAME_CHARACTERS_MAX, type ProviderTest } from "./schema.ts";

const LISTING_DEADLINE_MS = 10_000;
const LISTING_BYTES_MAX = 4 * 1024 * 1024;

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** `headers`: of the destination. */
export async function listProviderModels(
  access: ProviderAccess & Partial<Pick<Destination, "headers">>,
  fetch: Fetch,
  deadlineMs: number = LISTING_DEADLINE_MS,
): Promise<ProviderTest> {
  // Anthropic returns 20 models per page unless asked for more; the other protocol has no pages.
  const limit = access.protocol === "anthropic" ? `?limit=${LISTED_MODELS_MAX}` : "";
  const signal = AbortSignal.timeout(deadlineMs);
  let status: number | null = null;
  try {
    const ask = (keyHeaders: KeyHeaders) =>
      fetch(endpointUrl(access, `/models${limit}`), {
        headers: { accept: "application/json", ...protocolHeaders(access, keyHeaders), ...access.headers },
        redirect: "manual",
        signal,
      });
    let response = await ask("own");
    // A gateway may take the key only as a bearer token.
    if (response.status === 401 && access.protocol === "anthropic" && access.apiKey !== "") {
      await response.body?.cancel();
      response = await ask("both");
    }
    status = response.status;
    const bytes = await boundedBody(response, LISTING_BYTES_MAX);
    const body = bytes && new TextDecoder().decode(bytes);
    return response.ok ? models(status, body, access) : refusal(status, body, access);
  } catch (error) {
    return failure(status, networkFailure(error));
  }
}

function models(status: number, body: string | undefined, access: ProviderAccess): ProviderTest {
  if (body === undefined)
    return failure(status, `the list of models is larger than ${LISTING_BYTES_MAX} bytes`);
  const names = namesOf(body);
  if (names === undefined) return failure(status, "the answer is not a list of models; check base_url");
  const listed = names.slice(0, LISTED_MODELS_MAX).map((name) => scrubKey(name, access.apiKey));
  const count = plural(names.length, "model");
  const message = names.length > listed.length ? `${count}; the first ${listed.length} are listed` : count;
  return { ok: true, models: listed, status, message };
}

/** Sorted and without duplicates. Both protocols answer `{"data":[{"id"}]}`; other servers answer the bare list, or null if they have no model. */
function namesOf(body: string): string[] | undefined {
  if (excessIn(body) !== undefined) return undefined;
  const answer = parsedJson(body);
  const list = isObject(answer) && "data" in answer ? (answer["data"] ?? []) : answer;
  if (!Array.isArray(list)) return undefined;
  const names = list.map((item: unknown) => (isObject(item) ? item["id"] : undefined)).filter(isModelName);
  return [...new Set(names)].sort();
}

/** Omits names that could not be saved as a model. */
function isModelName(name: unknown): name is string {
  return (
    typeof name === "string" &&
    name !== "" &&
    name.length <= MODEL_NAME_CHARACTERS_MAX &&
    !/\p{Cc}/u.test(name)
  );
}

function refusal(status: number, body: string | undefined, access: ProviderAccess): ProviderTest {
  if (status >= 300 && status < 400) {
    return failure(
      status,
      `the provider answered ${status}, a redirect; the key is not forwarded, so set base_url to the final address`,
    );
  }
  const said = body === undefined ? undefined : providerMessage(body, access.apiKey);
  return failure(status, `the provider answered ${status}${said === undefined ? "" : `: ${said}`}`);
}

export function failure(status: number | null, message: string): ProviderTest {
  return { ok: false, models: [], status, message };
}
