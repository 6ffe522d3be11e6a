// Plays a tape onto one HTTP response: writes, waits, falls silent, cuts the line.
// Stops at once when the caller goes away. Knows no vendor.

import type { ServerResponse } from "node:http";
import { stampNow } from "./stamp.ts";
import type { Act } from "./tape.ts";

const STREAM_HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

/** Resolves when the response has ended; `gone` is aborted when the caller has left. */
export async function play(acts: Act[], response: ServerResponse, gone: AbortSignal): Promise<void> {
  for (const act of acts) {
    if (gone.aborted) return;
    switch (act.do) {
      case "send":
        startStream(response);
        response.write(act.bytes);
        break;
      case "headers":
        startStream(response);
        response.flushHeaders();
        break;
      case "wait":
        await wait(act.ms, gone);
        break;
      case "gate":
        act.gate.reach();
        await Promise.race([act.gate.opened, whenGone(gone)]);
        break;
      case "stamps":
        await playStamps(act, response, gone);
        break;
      case "whole":
        response.writeHead(act.status, act.headers);
        response.end(act.body);
        return;
      case "hang":
        await whenGone(gone);
        return;
      case "cut":
        await settle(response);
        response.socket?.destroy();
        return;
      case "end":
        startStream(response);
        response.end();
        return;
    }
  }
}

function startStream(response: ServerResponse): void {
  if (!response.headersSent) response.writeHead(200, STREAM_HEADERS);
}

let stampedStreams = 0;

/** Chunk n leaves at start + n × everyMs, so that delays do not add up. Streams are spread evenly
 *  over the interval, whenever they begin: in step, they would measure their own crowding, and
 *  whoever asks for them at even times would get several chunks in one read.
 *  One timer a chunk and nothing else: this runs 200 times side by side. */
function playStamps(
  act: Extract<Act, { do: "stamps" }>,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const phase = (stampedStreams++ * 0.618_034) % 1;
    const start = (Math.ceil(performance.now() / act.everyMs) + phase) * act.everyMs;
    let n = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const nextIn = (): number => Math.max(0, start + (n + 1) * act.everyMs - performance.now());
    const next = (): void => {
      response.write(act.before + stampNow() + act.after);
      if (++n < act.count) timer = setTimeout(next, nextIn());
      else resolve();
    };
    timer = setTimeout(next, nextIn());
    gone.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function wait(ms: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      gone.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    gone.addEventListener("abort", done);
  });
}

function whenGone(gone: AbortSignal): Promise<void> {
  if (gone.aborted) return Promise.resolve();
  return new Promise((resolve) => gone.addEventListener("abort", () => resolve(), { once: true }));
}

/** Everything written before a cut has left the process before the socket is destroyed. */
function settle(response: ServerResponse): Promise<void> {
  if (!response.headersSent) return Promise.resolve();
  return new Promise((resolve) => {
    response.write("", () => resolve());
  });
}
