// Server-sent events over `fetch`. Unlike the browser's EventSource it sends headers and a body, and reports the status of a refusal.

import { hearNothing, hearStatus } from "./client.ts";
import { asProblem, bodyOf, problemOf } from "./problem.ts";

export interface StreamedEvent {
  readonly id: number | null;
  readonly type: string;
  readonly data: unknown;
}

/** More than two of the server's heartbeats: a connection silent for this long is dead. */
const SILENCE_MS_MAX = 40_000;

/** Yields events as they arrive. Sends a POST if `body` is given. Raises `Problem` when the request is refused, fails, breaks off or falls
 * silent; returns when the server ends the stream or `signal` aborts.
 */
export async function* streamEvents(
  path: string,
  signal: AbortSignal,
  options: { readonly body?: unknown; readonly onOpen?: () => void } = {},
): AsyncGenerator<StreamedEvent[]> {
  const abort = new AbortController();
  const stop = () => abort.abort();
  signal.addEventListener("abort", stop);
  let silence = setTimeout(stop, SILENCE_MS_MAX);
  try {
    const response = await fetch(path, {
      credentials: "same-origin",
      signal: abort.signal,
      ...(options.body === undefined
        ? { headers: { Accept: "text/event-stream" } }
        : {
            method: "POST",
            headers: { Accept: "text/event-stream", "Content-Type": "application/json" },
            body: JSON.stringify(options.body),
          }),
    });
    hearStatus(response.status);
    if (!response.ok || !response.body) throw problemOf(response.status, await bodyOf(response));
    options.onOpen?.();
    const parser = new EventParser();
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(stop, SILENCE_MS_MAX);
      const events = parser.push(decoder.decode(value, { stream: true }));
      if (events.length > 0) yield events;
    }
  } catch (error) {
    if (signal.aborted) return;
    // `fetch` and its body raise a TypeError when the connection fails.
    throw abort.signal.aborted || error instanceof TypeError ? hearNothing() : asProblem(error);
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", stop);
    abort.abort();
  }
}

/** Parses the subset that the server writes: `id`, `event` and one line of `data`. Comments are heartbeats. */
class EventParser {
  #rest = "";

  /** Returns the events that `text` completes. */
  push(text: string): StreamedEvent[] {
    const blocks = (this.#rest + text).split("\n\n");
    this.#rest = blocks.pop()!;
    return blocks.flatMap((block) => {
      const fields = new Map(
        block.split("\n").map((line) => {
          const colon = line.indexOf(": ");
          return [line.slice(0, colon), line.slice(colon + 2)] as const;
        }),
      );
      const type = fields.get("event");
      const data = fields.get("data");
      if (type === undefined || data === undefined) return [];
      const id = fields.get("id");
      return [{ id: id === undefined ? null : Number(id), type, data: JSON.parse(data) as unknown }];
    });
  }
}
