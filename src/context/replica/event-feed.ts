// Follows the event stream of a server for one space. The stream only says that something happened, and up to which head: the cycle asks what.

import type { Timers } from "../../kit/clock.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import { EventStream } from "../../kit/network/event-stream.ts";
import type { Client } from "../client/client.ts";
import { interrupted } from "../client/failures.ts";
import type { Head } from "../versioned-store/engine.ts";
import { parseHead } from "../versioned-store/head.ts";

/** The server sends a heartbeat every 15 s. A stream that is quiet for longer than this is dead, for example after sleep. */
const QUIET_MS_MAX = 45_000;
const EVENT_CHARACTERS_MAX = 256 * 1024;
const RELEVANT = /^(?:file\.|space\.(?:sync|restore|push|delete)$)/;
/** The server tells that the stream broke. */
const FAILED = "error";

interface Feed {
  readonly client: Client;
  readonly space: string;
  readonly timers: Timers;
  /** Ends the feed. */
  readonly signal: AbortSignal;
  /** The stream is open: events from now on arrive. */
  readonly onOpen: () => void;
  /** `head`: of the space after the change; undefined: the event does not say. */
  readonly onEvent: (head: Head | undefined) => void;
}

/** Resolves when `signal` ends it. Raises `unavailable` when the stream ends, and what the server answers. */
export async function followEvents(feed: Feed): Promise<void> {
  const { client, space, timers, signal } = feed;
  const quiet = new AbortController();
  const watch = () => timers.after(QUIET_MS_MAX, () => quiet.abort());
  let unwatch = watch();
  const broken = (problem: string) => interrupted(client.name, problem);
  try {
    const either = AbortSignal.any([signal, quiet.signal]);
    const response = await client.request("GET", "/events", { query: { spaces: space }, signal: either });
    const events = readerOf(feed, broken);
    let isOpen = false;
    for await (const piece of response.body!) {
      unwatch();
      unwatch = watch();
      if (!isOpen) feed.onOpen();
      isOpen = true;
      events.push(piece);
    }
  } catch (error) {
    if (signal.aborted) return;
    if (quiet.signal.aborted) throw broken("no heartbeat");
    if (error instanceof AppError) throw error;
    throw broken(messageOf(error));
  } finally {
    unwatch();
  }
  if (!signal.aborted) throw broken("the event stream ended");
}

function readerOf({ onEvent }: Feed, broken: (problem: string) => AppError): EventStream {
  return new EventStream(
    (data, type) => {
      if (type === FAILED) throw broken("the event stream broke");
      if (RELEVANT.test(type)) onEvent(headOf(data));
    },
    () => broken("an event is too long"),
    EVENT_CHARACTERS_MAX,
  );
}

/** Earlier servers send no head. */
function headOf(event: string): Head | undefined {
  const { head } = (JSON.parse(event) as { data: { head?: unknown } }).data;
  return typeof head === "string" ? parseHead("head", head) : undefined;
}
