// The metrics of a program, in the text format of Prometheus (0.0.4). Labels never contain a user, a path or another private name, because many
// people read metrics.

import type { AccessLog } from "../http/access-log.ts";
import type { Watch } from "../http/serve.ts";
import { SECURITY_HEADERS } from "../http/answer.ts";
import { Histogram } from "./histogram.ts";
import { LoopDelay } from "./loop-delay.ts";

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
const ANSWER_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Callers choose method names freely, so any other method shares one label. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const MS = 1_000;

export interface Reading {
  readonly name: string;
  readonly kind: "counter" | "gauge";
  readonly help: string;
  readonly read: () => number;
}

/** A commit waits for the disk: half a millisecond on a fast one. */
export const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export interface Measured {
  readonly name: string;
  readonly help: string;
  readonly histogram: Histogram;
}

interface MetricsOptions {
  readonly readings: readonly Reading[];
  readonly measured?: readonly Measured[];
  readonly build: Readonly<Record<string, string>>;
  /** Monotonic, ms. */
  readonly elapsed: () => number;
  /** Reports background work. */
  readonly isBusy?: () => boolean;
}

export function counter(name: string, help: string, read: () => number): Reading {
  return { name, help, read, kind: "counter" };
}

export function gauge(name: string, help: string, read: () => number): Reading {
  return { name, help, read, kind: "gauge" };
}

export class Metrics {
  readonly #readings: readonly Reading[];
  readonly #build: Readonly<Record<string, string>>;
  /** By method, status and route; labels are formatted once. */
  readonly #requests = new Map<string, { readonly labels: string; count: number }>();
  readonly #answers = new Histogram(ANSWER_SECONDS);
  readonly #measured: readonly Measured[];
  readonly #elapsed: () => number;
  readonly #loopDelay: LoopDelay;

  constructor({ readings, measured = [], build, elapsed, isBusy }: MetricsOptions) {
    this.#readings = readings;
    this.#elapsed = elapsed;
    this.#loopDelay = new LoopDelay(elapsed, isBusy);
    this.#measured = [
      {
        name: "service_http_request_duration_seconds",
        help: "Time to the first byte of an answer",
        histogram: this.#answers,
      },
      {
        name: "service_event_loop_delay_seconds",
        help: "Time that work waited for the serving thread, measured every 20 ms while the server is busy",
        histogram: this.#loopDelay.histogram,
      },
      ...measured,
    ];
    this.#build = build;
  }

  /** Counts each answer and passes it to the access log, with one clock read. */
  watch(log: AccessLog): Watch {
    return {
      began: () => this.#loopDelay.wake(),
      answered: (start, exchange, status) => {
        const ms = this.#elapsed() - start;
        log(exchange, status, ms);
        this.#answered(exchange.method, exchange.route ?? "none", status, ms / MS);
      },
    };
  }

  /** The readings now, without histograms and answers. */
  summary(): { readonly name: string; readonly help: string; readonly value: number }[] {
    return this.#readings.map(({ name, help, read }) => ({ name, help, value: read() }));
  }

  answer(): Response {
    return new Response(this.text(), {
      headers: { ...SECURITY_HEADERS, "Content-Type": METRICS_TYPE, "Cache-Control": "no-store" },
    });
  }

  text(): string {
    const requests = "service_http_requests_total";
    const lines = [
      ...heading("service_up", "gauge", "1 while the server runs"),
      "service_up 1",
      ...heading("service_build_info", "gauge", "Version and commit of the build"),
      `service_build_info${labels(this.#build)} 1`,
      ...heading(requests, "counter", "Answered requests, by declared route"),
      ...[...this.#requests.values()].map((answered) => `${requests}${answered.labels} ${answered.count}`),
      ...this.#measured.flatMap(({ name, help, histogram }) => [
        ...heading(name, "histogram", help),
        ...histogram.lines(name),
      ]),
      ...this.#readings.flatMap(({ name, kind, help, read }) => [
        ...heading(name, kind, help),
        `${name} ${read()}`,
      ]),
    ];
    return `${lines.join("\n")}\n`;
  }

  #answered(method: string, route: string, status: number, seconds: number): void {
    const named = METHODS.has(method) ? method : "other";
    const key = `${named} ${status} ${route}`;
    let answered = this.#requests.get(key);
    if (!answered) {
      answered = { labels: labels({ method: named, route, code: String(status) }), count: 0 };
      this.#requests.set(key, answered);
    }
    answered.count += 1;
    this.#answers.observe(seconds);
  }
}

function heading(name: string, kind: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`];
}

function labels(values: Readonly<Record<string, string>>): string {
  const escaped = (value: string) =>
    value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return `{${Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(",")}}`;
}
