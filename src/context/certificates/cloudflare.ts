// TXT records in a zone at Cloudflare, by its API (v4). The token needs the permission to edit the DNS of the zone.

import { Type, type Static, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { messageOf } from "../../kit/error.ts";
import { jsonOf, sendOutbound, type Network, type OutboundRequest } from "../../kit/network/outbound.ts";
import type { DnsProvider } from "./dns-challenge.ts";
import type { TxtRecord } from "./schema.ts";

export const CLOUDFLARE = "https://api.cloudflare.com/client/v4";
const DEADLINE_MS = 30_000;
const ANSWER_BYTES_MAX = 256 * 1024;
const DETAIL_CHARACTERS_MAX = 300;
/** The least that Cloudflare takes. */
const TTL_SECONDS = 60;

const Failure = Type.Object({ errors: Type.Array(Type.Object({ message: Type.String() })) });
const Ids = Type.Object({ result: Type.Array(Type.Object({ id: Type.String() })) });
const Records = Type.Object({
  result: Type.Array(Type.Object({ id: Type.String(), content: Type.String() })),
});
const Done = Type.Object({ success: Type.Literal(true) });

interface CloudflareOptions {
  readonly token: string;
  readonly network: Network;
  /** Only tests pass another. */
  readonly api: string;
}

export class Cloudflare implements DnsProvider {
  readonly #options: CloudflareOptions;

  constructor(options: CloudflareOptions) {
    this.#options = options;
  }

  async put({ name, value }: TxtRecord, signal: AbortSignal): Promise<void> {
    const zone = await this.#zoneOf(name, signal);
    const body = { type: "TXT", name, content: quoted(value), ttl: TTL_SECONDS };
    await this.#call(Done, signal, { method: "POST", path: `/zones/${zone}/dns_records`, body });
  }

  async remove({ name, value }: TxtRecord, signal: AbortSignal): Promise<void> {
    const records = `/zones/${await this.#zoneOf(name, signal)}/dns_records`;
    const query = new URLSearchParams({ type: "TXT", name });
    const { result } = await this.#call(Records, signal, { method: "GET", path: `${records}?${query}` });
    for (const { id, content } of result)
      if (content === value || content === quoted(value))
        await this.#call(Type.Object({}), signal, { method: "DELETE", path: `${records}/${id}` });
  }

  /** The zone is the longest end of the name that the token can see. */
  async #zoneOf(name: string, signal: AbortSignal): Promise<string> {
    const labels = name.split(".");
    for (let from = 1; from < labels.length - 1; from += 1) {
      const query = new URLSearchParams({ name: labels.slice(from).join(".") });
      const { result } = await this.#call(Ids, signal, { method: "GET", path: `/zones?${query}` });
      if (result[0] !== undefined) return result[0].id;
    }
    throw new Error(`the token sees no zone of ${name} at Cloudflare; it needs the permission Zone.DNS:Edit`);
  }

  async #call<S extends TSchema>(
    schema: S,
    signal: AbortSignal,
    { method, path, body }: Pick<OutboundRequest, "method"> & { path: string; body?: object },
  ): Promise<Static<S>> {
    const { token, network, api } = this.#options;
    const sent = sendOutbound(network, {
      url: new URL(`${api}${path}`),
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      deadlineMs: DEADLINE_MS,
      answerBytesMax: ANSWER_BYTES_MAX,
      signal,
    });
    const answer = await sent.catch((error: unknown) => {
      throw new Error(`cannot reach Cloudflare: ${messageOf(error)}`);
    });
    const value = jsonOf(answer.body);
    if (answer.status === 200 && Value.Check(schema, value)) return value;
    const why = Value.Check(Failure, value) ? (value.errors[0]?.message ?? "") : "";
    throw new Error(
      `Cloudflare answered ${answer.status}: ${why.slice(0, DETAIL_CHARACTERS_MAX) || "it gave no reason"}`,
    );
  }
}

/** Cloudflare wants the content of a TXT record in quotes, as in a zone file. */
function quoted(value: string): string {
  return `"${value}"`;
}
