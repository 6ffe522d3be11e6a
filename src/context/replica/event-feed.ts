// Follows the event stream of a server for one space. The stream only says that something happened: the cycle asks what.

import { AppError, messageOf } from "../../kit/error.ts";
import { interrupted, type Client } from "../client/client.ts";

/** The server sends a heartbeat every 15 s. A stream that is quiet for longer than this is dead, for example after sleep. */
const QUIET_MS_MAX = 45_000;
/** An event is far smaller. */
const LINE_CHARACTERS_MAX = 256 * 1024;
const RELEVANT = /^event: (?:file\.|space\.(?:sync|restore|push|delete))/;
const FAILED = /^event: error/;

export interface Feed {
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
  try {
    const either = AbortSignal.any([signal, quiet.signal]);
    const response = await client.request("GET", "/events", { query: { spaces: space }, signal: either });
    const decoder = new TextDecoder();
    let rest = "";
    let isOpen = false;
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      watchdog.refresh();
      if (!isOpen) onOpen();
      isOpen = true;
      const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
      rest = lines.pop()!.slice(-LINE_CHARACTERS_MAX);
      if (lines.some((line) => FAILED.test(line))) break;
      if (lines.some((line) => RELEVANT.test(line))) onEvent();
    }
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof AppError) throw error;
    throw interrupted(client.name, quiet.signal.aborted ? "no heartbeat" : messageOf(error));
  } finally {
    clearTimeout(watchdog);
  }
  if (!signal.aborted) throw interrupted(client.name, "the event stream ended");
}
