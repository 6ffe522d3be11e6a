// The requests that have reached the model; a test waits for one without sleeping.

import { WAIT_LIMIT_MS } from "../wait-limit.ts";
import type { ModelRequest } from "./conversation.ts";

export interface RecordedRequest extends ModelRequest {
  /** Position among all requests, from 0. */
  number: number;
  /** Milliseconds since 1970, with fractions. */
  at: number;
  /** `aborted`: the caller went away; `cut`: the script closed the socket. */
  state: "open" | "done" | "aborted" | "cut";
  /** Why it was refused with 400; empty for a valid request. */
  problems: string[];
}

export class RequestLog {
  readonly all: RecordedRequest[] = [];
  /** The most requests that were open at one moment. */
  peak = 0;
  private open = 0;
  private readonly waiting = new Set<() => void>();

  add(request: ModelRequest, problems: string[]): RecordedRequest {
    const at = performance.timeOrigin + performance.now();
    const recorded = { ...request, number: this.all.length, at, state: "open" as const, problems };
    this.all.push(recorded);
    this.peak = Math.max(this.peak, ++this.open);
    this.tell();
    return recorded;
  }

  close(request: RecordedRequest, state: "done" | "aborted" | "cut"): void {
    if (request.state !== "open") return;
    request.state = state;
    this.open--;
    this.tell();
  }

  /** The requests, once there are `wanted` of them or one fits; rejects after `limitMs`. */
  async waitFor(
    wanted: number | ((request: RecordedRequest) => boolean),
    limitMs = WAIT_LIMIT_MS,
  ): Promise<RecordedRequest[]> {
    const found = (): RecordedRequest[] =>
      typeof wanted === "number" ? this.all : this.all.filter((request) => wanted(request));
    const enough = typeof wanted === "number" ? wanted : 1;
    if (found().length >= enough) return found();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const check = (): void => {
      if (found().length >= enough) resolve();
    };
    const limit = setTimeout(() => {
      const seen = this.all.map((r) => `${r.model} (${r.state})`).join(", ") || "none";
      reject(new Error(`no such request within ${limitMs} ms; requests so far: ${seen}`));
    }, limitMs);
    this.waiting.add(check);
    try {
      await promise;
    } finally {
      clearTimeout(limit);
      this.waiting.delete(check);
    }
    return found();
  }

  private tell(): void {
    for (const check of this.waiting) check();
  }
}
