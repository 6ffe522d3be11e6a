// HTTP to providers: address checks, keys, timeouts and retries.
//
// A request is retried only before the first byte of an answer, on a refused connection, 408, 429 and 5xx; never later, because the answer may
// have had effects. Redirects are not followed, so that a key goes to no other address. Neither the protocols' requests
// nor their readers know the key.

import type { Clock } from "../../kit/clock.ts";
import { pause } from "../../kit/concurrency/deadline.ts";
import { systemCode } from "../../kit/error.ts";
import { protocolHeaders, type KeyHeaders } from "../catalog/endpoints.ts";
import type { Destination } from "../catalog/destination.ts";
import { HOST_NOT_FOUND, networkFailure as sentenceOf, providerMessage } from "../catalog/failures.ts";
import type { ModelEndpoint } from "../catalog/models.ts";
import { connectionLost } from "./failures.ts";
import { ModelFailure } from "./model.ts";

const ATTEMPTS_MAX = 3;
const RETRY_AFTER_SECONDS_MAX = 30;
const FIRST_BYTE_TIMEOUT_MS = 5 * 60_000;
const SILENCE_TIMEOUT_MS = 2 * 60_000;
const RETRY_WAITS_MS = [500, 1_500];
const ERROR_BODY_BYTES_MAX = 64 * 1024;
/** Limit from the protocol's end marker to the end of the body, which some servers leave open. */
const END_TIMEOUT_MS = 1_000;

export interface TransportTimes {
  readonly firstByteMs: number;
  readonly silenceMs: number;
  readonly retryWaitsMs: readonly number[];
}

export const TRANSPORT_TIMES: TransportTimes = {
  firstByteMs: FIRST_BYTE_TIMEOUT_MS,
  silenceMs: SILENCE_TIMEOUT_MS,
  retryWaitsMs: RETRY_WAITS_MS,
};

export interface TransportDeps {
  readonly clock: Clock;
  readonly times: TransportTimes;
  /** Raises for an address of this service. Called before each attempt: a name may lead elsewhere by then. Undefined: the name has no address. */
  readonly destination: (url: string) => Promise<Destination | undefined>;
}

interface Exchange {
  readonly endpoint: ModelEndpoint;
  readonly signal: AbortSignal;
  readonly attempt: () => void;
  readonly retryIn: (waitMs: number, status: number | undefined) => void;
  readonly url: string;
  readonly keyHeaders?: KeyHeaders;
  readonly body: Blob;
}

/** An answer with status 200. */
export interface ProviderAnswer {
  /** HTTP marks where the body ends, so a body that ended was not truncated. */
  readonly isDelimited: boolean;
  /**
   * Passes each read to `take` until the body ends. `take` returns whether the protocol's end marker has arrived; after that, failures are
   * ignored. Raises ModelFailure for a connection that is lost or silent, and any error of `take`. Call it once.
   */
  read(take: (reads: readonly Uint8Array[]) => boolean): Promise<void>;
}

/** Raises ModelFailure; an abort raises the signal's reason. */
export async function openAnswer(deps: TransportDeps, exchange: Exchange): Promise<ProviderAnswer> {
  for (let attempt = 1; ; attempt++) {
    const destination = await deps.destination(exchange.url);
    exchange.attempt();
    if (!destination) throw unreached(HOST_NOT_FOUND);
    const outcome = await once(deps, exchange, destination);
    if (!("failure" in outcome)) return outcome;
    const waitMs = waitBeforeNext(deps.times, attempt, outcome);
    if (waitMs === undefined) throw outcome.failure;
    exchange.retryIn(waitMs, outcome.failure.status);
    await pause(waitMs, exchange.signal);
    exchange.signal.throwIfAborted();
  }
}

interface Refusal {
  readonly failure: ModelFailure;
  readonly mayRetry: boolean;
  readonly retryAfterSeconds: number | undefined;
}

async function once(
  deps: TransportDeps,
  { endpoint, signal, keyHeaders, body }: Exchange,
  destination: Destination,
): Promise<ProviderAnswer | Refusal> {
  const abort = new AbortController();
  const forward = () => abort.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", forward, { once: true });
  const watch = new Watch(deps, abort);
  const release = () => {
    watch.end();
    signal.removeEventListener("abort", forward);
  };
  try {
    const response = await fetch(destination.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...protocolHeaders(endpoint, keyHeaders),
        ...destination.headers,
      },
      body,
      redirect: "manual",
      signal: abort.signal,
      // Bun's own timeout would fire before ours, which reports its cause.
      timeout: false,
    } as RequestInit);
    if (response.status === 200 && response.body && !isOfType(response, "text/html"))
      return answerOf(response, watch, release);
    const refused = await refusalOf(deps, response, endpoint);
    release();
    return refused;
  } catch (error) {
    release();
    signal.throwIfAborted();
    if (abort.signal.aborted) throw abort.signal.reason;
    return {
      failure: unreached(sentenceOf(error)),
      mayRetry: isRefused(error),
      retryAfterSeconds: undefined,
    };
  }
}

function answerOf(response: Response, watch: Watch, release: () => void): ProviderAnswer {
  const { headers } = response;
  return {
    isDelimited: headers.has("transfer-encoding") || headers.has("content-length"),
    async read(take) {
      const reader = response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
      let ended = false;
      let reading = true;
      try {
        for (;;) {
          reading = true;
          // Everything that has arrived since the last read.
          const { done, value } = await reader.readMany();
          if (done) return;
          reading = false;
          watch.seen();
          const marked = take(value);
          if (marked && !ended) watch.endSoon();
          ended = marked;
        }
      } catch (error) {
        await reader.cancel(error).catch(() => {});
        if (!ended) throw reading && !(error instanceof ModelFailure) ? connectionLost() : error;
      } finally {
        release();
      }
    },
  };
}

/** Aborts a silent request: after `firstByteMs` before the first byte, then after `silenceMs`. One coarse timer, not one per chunk. */
class Watch {
  readonly #clock: Clock;
  readonly #times: TransportTimes;
  readonly #abort: AbortController;
  readonly #timer: ReturnType<typeof setInterval>;
  #endTimer: ReturnType<typeof setTimeout> | undefined;
  #last: number;
  /** Set by each read and checked by the timer, so that a read need not read the clock. */
  #seen = false;
  #started = false;

  constructor(deps: TransportDeps, abort: AbortController) {
    this.#clock = deps.clock;
    this.#times = deps.times;
    this.#abort = abort;
    this.#last = deps.clock.elapsed();
    const period = Math.max(10, Math.min(deps.times.silenceMs, deps.times.firstByteMs) / 8);
    this.#timer = setInterval(() => {
      if (this.#seen) this.#last = this.#clock.elapsed();
      this.#seen = false;
      const limit = this.#started ? this.#times.silenceMs : this.#times.firstByteMs;
      if (this.#clock.elapsed() - this.#last < limit) return;
      const seconds = Math.round(limit / 1000);
      abort.abort(
        new ModelFailure(
          this.#started
            ? `the provider stopped responding mid-answer (no data for ${seconds} s)`
            : `the provider did not answer within ${seconds} s`,
        ),
      );
    }, period);
  }

  seen(): void {
    this.#started = true;
    this.#seen = true;
  }

  /** Gives the body of a complete answer a moment to end, because a connection that ends cleanly can be reused. */
  endSoon(): void {
    this.#endTimer = setTimeout(() => this.#abort.abort(connectionLost()), END_TIMEOUT_MS);
  }

  end(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#endTimer);
  }
}

function isOfType(response: Response, type: string): boolean {
  return (response.headers.get("content-type") ?? "").toLowerCase().startsWith(type);
}

async function refusalOf(deps: TransportDeps, response: Response, endpoint: ModelEndpoint): Promise<Refusal> {
  const { status } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    return refusal(
      new ModelFailure(
        `the provider answered ${status}, a redirect; redirects are not followed, so correct its address`,
        status,
      ),
    );
  }
  const body = await readBounded(response, ERROR_BODY_BYTES_MAX);
  if (status === 200) return refusal(otherThanEvents(body, endpoint.apiKey));
  const words = providerMessage(body, endpoint.apiKey);
  const failure = new ModelFailure(`the provider answered ${status}${afterColon(words)}`, status, words);
  const mayRetry = status === 408 || status === 429 || status >= 500;
  return {
    failure,
    mayRetry,
    retryAfterSeconds: retryAfterSeconds(response.headers, deps.clock.now()),
  };
}

/** The failure for a proxy's page, or a document of another kind of server. Includes the message in `body`, without the key. */
export function otherThanEvents(body: string, key: string): ModelFailure {
  const words = afterColon(providerMessage(body.slice(0, ERROR_BODY_BYTES_MAX), key));
  return new ModelFailure(`the provider answered with something other than an event stream${words}`, 200);
}

function afterColon(words: string | undefined): string {
  return words === undefined ? "" : `: ${words}`;
}

function refusal(failure: ModelFailure): Refusal {
  return { failure, mayRetry: false, retryAfterSeconds: undefined };
}

async function readBounded(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length >= bytesMax) break;
    }
  } catch {
    // Show a truncated error body as far as it arrived.
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Some providers also send the exact time, without which a wait of a moment becomes one of a second. */
function retryAfterSeconds(headers: Headers, now: number): number | undefined {
  const milliseconds = headers.get("retry-after-ms") ?? "";
  if (/^\d+(?:\.\d+)?$/.test(milliseconds)) return Number(milliseconds) / 1000;
  const header = headers.get("retry-after");
  if (header === null) return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}

function waitBeforeNext(times: TransportTimes, attempt: number, refused: Refusal): number | undefined {
  if (!refused.mayRetry || attempt >= ATTEMPTS_MAX) return undefined;
  const asked = refused.retryAfterSeconds;
  if (asked === undefined) return times.retryWaitsMs[attempt - 1] ?? 0;
  return asked > RETRY_AFTER_SECONDS_MAX ? undefined : asked * 1000;
}

function unreached(sentence: string): ModelFailure {
  return new ModelFailure(`the provider could not be reached: ${sentence}`);
}

function isRefused(error: unknown): boolean {
  const code = systemCode(error);
  return code === "ECONNREFUSED" || code === "ConnectionRefused";
}
