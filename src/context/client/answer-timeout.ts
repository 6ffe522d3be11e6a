// Ends requests to a silent server: one that accepts a connection and never answers would otherwise hold a command, and the lock of a folder, for
// minutes.

import { SECOND_MS, type Timers } from "../../kit/clock.ts";
import { LATE, within } from "../../kit/concurrency/deadline.ts";
import { messageOf } from "../../kit/error.ts";
import { interrupted, noAnswer } from "./failures.ts";

/** Until an answer begins. A server takes longest to restore or adopt a large space. */
const ANSWER_MS = 120_000;
/** The same for every request of a sync, which is small work for a server. */
export const SYNC_ANSWER_MS = 30_000;
/** A request may take one more second for this many bytes that it sends, as servers allow. */
const SENT_BYTES_PER_SECOND_MIN = 32 * 1024;
/** Between two pieces of an answer. Event streams have a heartbeat every 15 s. */
const SILENCE_MS = 60_000;

/** `answerMs`: the limit of a request that sends nothing. */
export function answerLimitMs(sentBytes: number, answerMs: number = ANSWER_MS): number {
  return answerMs + Math.ceil((sentBytes / SENT_BYTES_PER_SECOND_MIN) * SECOND_MS);
}

interface Waiting {
  /** Display name of the server. */
  readonly server: string;
  readonly timers: Timers;
  readonly limitMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Sends a request that ends at the limit or by `signal`. Raises `unavailable` at the limit, and what `send` raises. */
export async function answerInTime(
  { server, timers, limitMs, signal }: Waiting,
  send: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const late = new AbortController();
  const sent = send(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
  const answer = await within(limitMs, sent, timers);
  if (answer !== LATE) return readInTime(answer, server, timers);
  sent.catch(() => {});
  late.abort();
  throw noAnswer(server, limitMs);
}

/** Returns the same answer. Reading it raises `unavailable` if nothing arrives for too long, or the connection breaks. */
function readInTime(answer: Response, server: string, timers: Timers): Response {
  if (answer.body === null) return answer;
  const reader = answer.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await nextPiece(reader, server, timers);
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is waited for while nobody reads.
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = answer;
  return new Response(body, { status, statusText, headers });
}

async function nextPiece(reader: ReadableStreamDefaultReader<Uint8Array>, server: string, timers: Timers) {
  const piece = await within(SILENCE_MS, reader.read(), timers).catch((error: unknown) => {
    throw interrupted(server, messageOf(error));
  });
  if (piece !== LATE) return piece;
  reader.cancel().catch(() => {});
  const seconds = SILENCE_MS / SECOND_MS;
  throw interrupted(server, `nothing arrived for ${seconds} s; check the network, then try again`);
}
