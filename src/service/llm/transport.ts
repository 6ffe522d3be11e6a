// HTTP to providers: who may be talked to, with which key, how long to wait, when to try again.
//
// Tried again only before the first byte of an answer, on a refused connection, 408, 429 and 5xx; never after, since the answer
// may have had effects. Redirects are not followed, so a key goes to no other address. The key is added here and nowhere else:
// the protocol libraries never hold it, so none of their errors can.

import type { Clock } from "../../kit/clock.ts";
import { messageOf, systemCode } from "../../kit/error.ts";
import { networkFailure as sentenceOf, providerMessage } from "../catalog/failures.ts";
import type { ModelEndpoint } from "../catalog/models.ts";
import { ModelFailure } from "./model.ts";

export const ATTEMPTS_MAX = 3;
export const RETRY_AFTER_SECONDS_MAX = 30;
export const FIRST_BYTE_TIMEOUT_MS = 5 * 60_000;
export const SILENCE_TIMEOUT_MS = 2 * 60_000;
const RETRY_WAITS_MS = [500, 1_500];
export const CONNECTION_LOST = "the connection to the provider was lost in the middle of its answer";
const ERROR_BODY_BYTES_MAX = 64 * 1024;

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
  /** Raises for an address that leads to ourselves. */
  readonly checkAddress: (url: string) => Promise<void>;
}

export interface Exchange {
  readonly endpoint: ModelEndpoint;
  readonly signal: AbortSignal;
  readonly attempt: (count: number) => void;
}

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A `fetch` for one model call. Raises ModelFailure; an abort raises the signal's reason. */
export function providerFetch(deps: TransportDeps, exchange: Exchange): Fetch {
  return async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    await deps.checkAddress(url);
    for (let attempt = 1; ; attempt++) {
      exchange.attempt(attempt);
      const outcome = await once(deps, exchange, url, init);
      if (outcome instanceof Response) return outcome;
      const waitMs = waitBeforeNext(deps.times, attempt, outcome);
      if (waitMs === undefined) throw outcome.failure;
      await pause(waitMs, exchange.signal);
    }
  };
}

interface Refusal {
  readonly failure: ModelFailure;
  readonly mayRetry: boolean;
  readonly retryAfterSeconds: number | undefined;
}

async function once(
  deps: TransportDeps,
  exchange: Exchange,
  url: string,
  init: RequestInit | undefined,
): Promise<Response | Refusal> {
  const abort = new AbortController();
  const forward = () => abort.abort(exchange.signal.reason);
  exchange.signal.throwIfAborted();
  exchange.signal.addEventListener("abort", forward, { once: true });
  const watch = new Watch(deps, abort);
  const release = () => {
    watch.end();
    exchange.signal.removeEventListener("abort", forward);
  };
  try {
    const response = await fetch(url, {
      ...init,
      headers: withKey(new Headers(init?.headers), exchange.endpoint),
      redirect: "manual",
      signal: abort.signal,
      // Bun's own limit would end long silences before ours; ours says which one it was.
      timeout: false,
    } as RequestInit);
    if (response.status === 200 && response.body && !isOther(response)) {
      return new Response(watched(response.body, watch, release), response);
    }
    const refused = await refusalOf(deps, response, exchange.endpoint);
    release();
    return refused;
  } catch (error) {
    release();
    exchange.signal.throwIfAborted();
    if (abort.signal.aborted) throw abort.signal.reason;
    return { failure: networkFailure(error), mayRetry: isRefused(error), retryAfterSeconds: undefined };
  }
}

/** Ends a request that stays silent: long before the first byte, shorter between two. One coarse timer, not one per chunk. */
class Watch {
  readonly #clock: Clock;
  readonly #times: TransportTimes;
  readonly #timer: ReturnType<typeof setInterval>;
  #last: number;
  #started = false;

  constructor(deps: TransportDeps, abort: AbortController) {
    this.#clock = deps.clock;
    this.#times = deps.times;
    this.#last = deps.clock.elapsed();
    const period = Math.max(10, Math.min(deps.times.silenceMs, deps.times.firstByteMs) / 8);
    this.#timer = setInterval(() => {
      const limit = this.#started ? this.#times.silenceMs : this.#times.firstByteMs;
      if (this.#clock.elapsed() - this.#last < limit) return;
      const seconds = Math.round(limit / 1000);
      abort.abort(
        new ModelFailure(
          this.#started
            ? `the provider fell silent for ${seconds} s in the middle of its answer`
            : `the provider did not answer within ${seconds} s`,
        ),
      );
    }, period);
  }

  seen(): void {
    this.#started = true;
    this.#last = this.#clock.elapsed();
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

/** A page or a document in place of the event stream that was asked for: a proxy's, or that of another kind of server. */
function isOther(response: Response): boolean {
  return /^(text\/html|application\/json)\b/i.test(response.headers.get("content-type") ?? "");
}

function watched(
  body: ReadableStream<Uint8Array>,
  watch: Watch,
  finish: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done: ended, value } = await reader.read();
        if (ended) {
          finish();
          return controller.close();
        }
        watch.seen();
        controller.enqueue(value);
      } catch (error) {
        finish();
        controller.error(error instanceof ModelFailure ? error : networkFailure(error, true));
      }
    },
    cancel(reason) {
      finish();
      return reader.cancel(reason);
    },
  });
}

function withKey(headers: Headers, endpoint: ModelEndpoint): Headers {
  headers.delete("authorization");
  headers.delete("x-api-key");
  if (endpoint.apiKey === "") return headers;
  if (endpoint.protocol === "anthropic") headers.set("x-api-key", endpoint.apiKey);
  else headers.set("authorization", `Bearer ${endpoint.apiKey}`);
  return headers;
}

async function refusalOf(deps: TransportDeps, response: Response, endpoint: ModelEndpoint): Promise<Refusal> {
  const { status } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    return refusal(
      new ModelFailure(
        `the provider answered ${status} (a redirect); redirects are not followed: correct its address`,
        status,
      ),
    );
  }
  const words = providerMessage(await readBounded(response), endpoint.apiKey);
  const what = status === 200 ? "with something else than an event stream" : status;
  const failure = new ModelFailure(
    `the provider answered ${what}${words === undefined ? "" : `: ${words}`}`,
    status,
  );
  const mayRetry = status === 408 || status === 429 || status >= 500;
  return {
    failure,
    mayRetry,
    retryAfterSeconds: retryAfterSeconds(response.headers.get("retry-after"), deps.clock.now()),
  };
}

function refusal(failure: ModelFailure): Refusal {
  return { failure, mayRetry: false, retryAfterSeconds: undefined };
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length >= ERROR_BODY_BYTES_MAX) break;
    }
  } catch {
    // An error body that is cut off is shown as far as it came.
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** What a provider says in the middle of a stream, made safe to show. The libraries wrap what the transport raised. */
export function streamFailure(error: unknown, key: string): ModelFailure {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ModelFailure) return cause;
  }
  if (error instanceof Error && /without a finish reason/.test(error.message))
    return new ModelFailure(CONNECTION_LOST);
  if (error instanceof Error && error.name !== "AI_APICallError") {
    return new ModelFailure("the provider's answer does not keep to its protocol, so it can't be read");
  }
  const words = typeof error === "string" ? error : ((error as { message?: unknown } | null)?.message ?? "");
  const message = providerMessage(String(words), key);
  return new ModelFailure(`the provider broke off its answer${message === undefined ? "" : `: ${message}`}`);
}

function retryAfterSeconds(header: string | null, now: number): number | undefined {
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

function networkFailure(error: unknown, started = false): ModelFailure {
  if (started) return new ModelFailure(CONNECTION_LOST);
  return new ModelFailure(`the provider could not be reached: ${sentenceOf(error)}`);
}

function isRefused(error: unknown): boolean {
  return /ConnectionRefused|ECONNREFUSED/.test(`${systemCode(error) ?? ""} ${messageOf(error)}`);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  });
}
