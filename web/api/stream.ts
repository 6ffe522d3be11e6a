// Server-sent events over `fetch`, which can send headers and a body and shows the status of a refusal; the browser's EventSource can't.

import { hearStatus } from "./client.ts";
import { asProblem, offline, problemOf } from "./problem.ts";

export interface StreamedEvent {
  readonly id: number | null;
  readonly type: string;
  readonly data: unknown;
}

/** Longer than two heartbeats of the server: a connection that is silent for so long is dead. */
const SILENCE_MS_MAX = 40_000;

/**
 * The events of an answer, as they come, until it ends; `body` given: of a POST. Raises `Problem` when it is refused, can't be reached, breaks off or falls silent; returns
 * when the server ended it or `signal` was aborted.
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
    // What `fetch` and its body raise when the server is not there, or goes away.
    throw abort.signal.aborted || error instanceof TypeError ? offline() : asProblem(error);
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", stop);
    abort.abort();
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return (await response.json()) as unknown;
  } catch {
    return undefined;
  }
}

/** The subset that the server writes: `id`, `event`, one line of `data`; comments are heartbeats. */
export class EventParser {
  #rest = "";

  /** The events that `text` completes. */
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
