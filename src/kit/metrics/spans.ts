// Traces: one span for each HTTP request, sent in batches to an OpenTelemetry collector over OTLP/HTTP in JSON. A collector that does not answer
// costs spans, never requests: the queue is bounded, and a batch that fails is dropped. Spans name declared routes, never paths or headers.

import type { Clock } from "../clock.ts";
import { LATE, within } from "../concurrency/deadline.ts";
import { messageOf } from "../error.ts";
import type { Watch } from "../http/serve.ts";
import type { Log } from "../log.ts";
import { sendOutbound, type Network } from "../network/outbound.ts";
import { randomHex } from "../random.ts";

const TRACES_PATH = "/v1/traces";
const SPANS_PER_BATCH_MAX = 512;
const QUEUED_SPANS_MAX = 4_096;
const BATCH_WAIT_MS = 1_000;
const SEND_DEADLINE_MS = 5_000;
const STOP_DEADLINE_MS = 1_500;
const ANSWER_BYTES_MAX = 64 * 1024;
const TRACE_ID_BITS = 128;
const SPAN_ID_BITS = 64;
/** Numbers of the OTLP enumerations. */
const SPAN_KIND_SERVER = 2;
const STATUS_CODE_ERROR = 2;
const SERVER_ERROR = 500;
const MULTIPLE_CHOICES = 300;
const NS_PER_MS = 1_000_000n;
const NS_DIGITS_BELOW_MS = 1_000_000;

interface SpansOptions {
  /** The address of the collector; without a path of its own, `/v1/traces` there. */
  readonly endpoint: URL;
  readonly service: { readonly name: string; readonly version: string };
  readonly network: Network;
  readonly clock: Clock;
  readonly log: Log;
}

export class Spans {
  readonly #options: SpansOptions;
  readonly #url: URL;
  #queued: object[] = [];
  #timer: Timer | undefined;
  /** Never rejects; `stop` awaits it. */
  #sending = Promise.resolve();
  readonly #stopped = new AbortController();
  #isFailing = false;
  #dropped = 0;

  constructor(options: SpansOptions) {
    this.#options = options;
    this.#url = tracesUrl(options.endpoint);
  }

  /** Adds a span for each request that `inner` sees. A span lasts until the answer begins. */
  watch(inner: Watch): Watch {
    return {
      began: () => inner.began(),
      answered: (start, exchange, status) => {
        inner.answered(start, exchange, status);
        this.#add(start, exchange, status);
      },
    };
  }

  /** Sends the queued spans, and gives up soon, also on a batch that is under way. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    const sent = await within(STOP_DEADLINE_MS, this.#sendAll());
    if (sent === LATE) this.#options.log.warn("the trace collector did not answer before the stop");
    this.#stopped.abort();
    await this.#sending;
  }

  #add(start: number, exchange: Parameters<Watch["answered"]>[1], status: number): void {
    if (this.#queued.length >= QUEUED_SPANS_MAX) {
      this.#dropped += 1;
      return;
    }
    const { clock } = this.#options;
    const now = clock.now();
    this.#queued.push(spanOf(exchange, status, { start: now - (clock.elapsed() - start), end: now }));
    this.#sendSoon();
  }

  #sendSoon(): void {
    this.#timer ??= setTimeout(async () => {
      await this.#sendAll();
      this.#timer = undefined;
      if (this.#queued.length > 0 && !this.#stopped.signal.aborted) this.#sendSoon();
    }, BATCH_WAIT_MS).unref();
  }

  /** One batch at a time, also for callers that come at the same time. */
  #sendAll(): Promise<void> {
    return (this.#sending = this.#sending.then(async () => {
      while (this.#queued.length > 0) await this.#send(this.#queued.splice(0, SPANS_PER_BATCH_MAX));
    }));
  }

  async #send(spans: readonly object[]): Promise<void> {
    const problem = await this.#problemOfSending(spans);
    const { log } = this.#options;
    const endpoint = this.#url.href;
    if (problem === undefined) {
      if (this.#isFailing) log.info("exporting spans again", { endpoint, dropped: this.#dropped });
      this.#isFailing = false;
      this.#dropped = 0;
      return;
    }
    this.#dropped += spans.length;
    // Once, because a collector that is down would otherwise fill the log.
    if (!this.#isFailing) log.warn("cannot export spans; dropping them", { endpoint, error: problem });
    this.#isFailing = true;
  }

  async #problemOfSending(spans: readonly object[]): Promise<string | undefined> {
    try {
      const { status } = await sendOutbound(this.#options.network, {
        url: this.#url,
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(this.#document(spans)),
        schemes: ["http", "https"],
        deadlineMs: SEND_DEADLINE_MS,
        answerBytesMax: ANSWER_BYTES_MAX,
        signal: this.#stopped.signal,
      });
      return status < MULTIPLE_CHOICES ? undefined : `the collector answered ${status}`;
    } catch (error) {
      return messageOf(error);
    }
  }

  #document(spans: readonly object[]) {
    const { name, version } = this.#options.service;
    const attributes = [text("service.name", name), text("service.version", version)];
    return {
      resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { name, version }, spans }] }],
    };
  }
}

function spanOf(
  { id, method, route }: Parameters<Watch["answered"]>[1],
  status: number,
  { start, end }: { readonly start: number; readonly end: number },
): object {
  return {
    traceId: randomHex(TRACE_ID_BITS),
    spanId: randomHex(SPAN_ID_BITS),
    name: route === undefined ? method : `${method} ${route}`,
    kind: SPAN_KIND_SERVER,
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(end),
    attributes: [
      text("request_id", id),
      text("http.request.method", method),
      ...(route === undefined ? [] : [text("http.route", route)]),
      { key: "http.response.status_code", value: { intValue: String(status) } },
    ],
    status: status >= SERVER_ERROR ? { code: STATUS_CODE_ERROR } : {},
  };
}

function text(key: string, value: string) {
  return { key, value: { stringValue: value } };
}

/** 64-bit numbers are strings in the JSON of OTLP. */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return String(BigInt(whole) * NS_PER_MS + BigInt(Math.round((ms - whole) * NS_DIGITS_BELOW_MS)));
}

function tracesUrl(endpoint: URL): URL {
  const url = new URL(endpoint);
  const path = url.pathname.replace(/\/+$/, "");
  if (!path.endsWith(TRACES_PATH)) url.pathname = path + TRACES_PATH;
  return url;
}
