// Makes one delivery attempt: signs the body, sends it and returns the outcome.

import { hmacSha256Hex } from "../../kit/crypto.ts";
import { messageOf } from "../../kit/error.ts";
import { sendOutbound, type Network } from "../../kit/network/outbound.ts";
import type { HookRow } from "./store.ts";

const DEADLINE_MS = 8_000;
const ANSWER_BYTES_MAX = 1024 * 1024;

export interface Parcel {
  readonly id: string;
  readonly type: string;
  readonly body: string;
}

export interface Outcome {
  readonly ok: boolean;
  /** The HTTP status; null: no response. */
  readonly status: number | null;
  readonly error: string | null;
}

export class Sender {
  readonly #network: Network;
  readonly #secretOf: (hook: HookRow) => string;

  /** `secretOf` raises if the secret of a hook is unavailable. */
  constructor(network: Network, secretOf: (hook: HookRow) => string) {
    this.#network = network;
    this.#secretOf = secretOf;
  }

  /** Never raises. An abort ends the attempt early as a failure. */
  async send(hook: HookRow, parcel: Parcel, signal: AbortSignal): Promise<Outcome> {
    try {
      const status = await this.#post(hook, parcel, signal);
      const ok = status >= 200 && status < 300;
      return { ok, status, error: ok ? null : `answered with status ${status}` };
    } catch (error) {
      return { ok: false, status: null, error: messageOf(error) };
    }
  }

  async #post(hook: HookRow, { id, type, body }: Parcel, signal: AbortSignal): Promise<number> {
    const { status } = await sendOutbound(this.#network, {
      url: new URL(hook.url),
      method: "POST",
      schemes: ["http", "https"],
      headers: {
        "Content-Type": "application/json",
        "Content-Length": String(Buffer.byteLength(body)),
        "User-Agent": "cairn-webhook",
        "X-Service-Event": type,
        "X-Service-Delivery": id,
        "X-Service-Signature": signatureOf(this.#secretOf(hook), body),
      },
      body,
      deadlineMs: DEADLINE_MS,
      answerBytesMax: ANSWER_BYTES_MAX,
      signal,
    });
    return status;
  }
}

/** `sha256=<hex HMAC-SHA256(secret, raw body)>` */
function signatureOf(secret: string, body: string): string {
  return `sha256=${hmacSha256Hex(secret, body)}`;
}
