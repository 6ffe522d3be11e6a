// Follows the event stream of a server for one space. The stream only says that something happened: the cycle asks what.

import { AppError, messageOf } from "../../kit/error.ts";
import { EventStream } from "../../kit/event-stream.ts";
import type { Client } from "../client/client.ts";
import { interrupted } from "../client/failures.ts";

/** The server sends a heartbeat every 15 s. A stream that is quiet for longer than this is dead, for example after sleep. */
const QUIET_MS_MAX = 45_000;
const EVENT_CHARACTERS_MAX = 256 * 1024;
const RELEVANT = /^(?:file\.|space\.(?:sync|restore|push|delete)$)/;
/** The server tells that the stream broke. */
const FAILED = "error";

interface Feed {
  readonly client: Client;
  readonly space: string;
  /** Ends the feed. */
  readonly signal: AbortSignal;
  /** The stream is open: events from now on arrive. */
  readonly onOpen: () => void;
  readonly onEvent: () => void;
}

/** Resolves when `signal` ends it. Raises `unavailable` when the stream ends, and what the server answers. */
export async function followEvents({ client, space, signal, onOpen, onEvent }: Feed): Promise<void> {
  const quiet = new AbortController();
  const watchdog = setTimeout(() => quiet.abort(), QUIET_MS_MAX);
  const broken = (problem: string) => interrupted(client.name, problem);
  try {
    const either = AbortSignal.any([signal, quiet.signal]);
    const response = await client.request("GET", "/events", { query: { spaces: space }, signal: either });
    let isOpen = false;
    const events = new EventStream(
      (_, type) => {
        if (type === FAILED) throw broken("the event stream broke");
        if (RELEVANT.test(type)) onEvent();
      },
      () => broken("an event is too long"),
      EVENT_CHARACTERS_MAX,
    );
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      watchdog.refresh();
      if (!isOpen) onOpen();
      isOpen = true;
      events.push(piece);
    }
  } catch (error) {
    if (signal.aborted) return;
    if (quiet.signal.aborted) throw broken("no heartbeat");
    if (error instanceof AppError) throw error;
    throw broken(messageOf(error));
  } finally {
    clearTimeout(watchdog);
  }
  if (!signal.aborted) throw broken("the event stream ended");
}
