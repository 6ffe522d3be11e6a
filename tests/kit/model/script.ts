// The words in which a test says what the model answers: small data, no behaviour.
// A reply is one step or a list of steps, taken in order: speech, calls, waits, faults.
// The same reply can be spoken in both protocols; `tape.ts` turns it into bytes.
// Must not know HTTP or a vendor's format.

import { within } from "../within.ts";
import type { ModelRequest } from "./conversation.ts";

/** Tokens, as the vendor would report them. `input` is the whole prompt, cached part included. */
export interface Usage {
  input: number;
  output: number;
  cached?: number;
  cacheWrite?: number;
  reasoning?: number;
}

/** `tools` and `stop` are chosen by themselves; any other word is sent as it stands. */
export type Finish = "stop" | "tools" | "length" | "filter" | (string & {});

export interface SpeechOptions {
  /** Into how many pieces the text is cut; by default a piece a word, at most 50. */
  chunks?: number;
  /** Milliseconds between two pieces; without it all goes out in one write. */
  everyMs?: number;
  /** Milliseconds before the first piece. */
  delayMs?: number;
  usage?: Usage;
  finish?: Finish;
}

interface CallOptions {
  /** `null` leaves the id out, a repeated one makes duplicates; by default a fresh id. */
  id?: string | null;
  /** Pieces of the arguments; 0 sends the whole call in its first chunk. Default 3. */
  fragments?: number;
}

export interface Say {
  kind: "say";
  text: string;
  pieces: string[];
  everyMs?: number | undefined;
  delayMs?: number | undefined;
}
interface Think {
  kind: "think";
  text: string;
  pieces: string[];
}
export interface Call {
  kind: "call";
  name: string;
  args: string;
  pieces: string[];
  id: string | null | undefined;
}
export interface Gate {
  kind: "gate";
  /** Lets every reply that waits here, now or later, go on. */
  open(): void;
  /** Resolves when a reply first waits here. Rejects if that takes longer than tests wait, from the question on. */
  readonly reached: Promise<void>;
  opened: Promise<void>;
  reach(): void;
}
interface HttpFault {
  kind: "status";
  status: number;
  message: string;
  headers: Record<string, string>;
  type: string | undefined;
}

export type Step =
  | Say
  | Think
  | Call
  | Gate
  | HttpFault
  | { kind: "together"; say: Say; calls: Call[] }
  | { kind: "stamps"; count: number; everyMs: number }
  | { kind: "usage"; report: "plain" | "absent" | "split" | "repeated"; usage: Usage | undefined }
  | { kind: "finish"; reason: Finish }
  | { kind: "pause"; ms: number }
  | { kind: "headers" }
  | { kind: "hang" }
  | { kind: "cut" }
  | { kind: "end" }
  | { kind: "fault"; message: string; type: string | undefined }
  | { kind: "raw"; text: string; contentType: string };

export type Reply = Step | readonly (Step | readonly Step[])[];
export type ReplyFunction = (request: ModelRequest) => Reply | Promise<Reply>;
export interface Times {
  kind: "times";
  count: number;
  reply: Reply | ReplyFunction;
}
export type ScriptItem = Reply | ReplyFunction | Times;

// Speech

export function say(text: string, options: SpeechOptions = {}): Step[] {
  const steps: Step[] = [
    {
      kind: "say",
      text,
      pieces: cutText(text, options.chunks),
      everyMs: options.everyMs,
      delayMs: options.delayMs,
    },
  ];
  if (options.usage) steps.push(usage(options.usage));
  if (options.finish) steps.push(finish(options.finish));
  return steps;
}

/** Reasoning: a signed thinking block (Anthropic), `reasoning_content` (OpenAI-compatible). */
export function think(text: string, options: { chunks?: number } = {}): Think {
  return { kind: "think", text, pieces: cutText(text, options.chunks) };
}

export function call(name: string, args: unknown = {}, options: CallOptions = {}): Call {
  return callRaw(name, JSON.stringify(args), options);
}

/** A call whose arguments are sent exactly as given: broken JSON, half of it, nothing. */
export function callRaw(name: string, args: string, options: CallOptions = {}): Call {
  const pieces = options.fragments === 0 ? [] : cutEvenly(args, options.fragments ?? 3);
  return { kind: "call", name, args, pieces, id: options.id };
}

/** Text and calls in one and the same chunk (OpenAI); one after the other (Anthropic). */
export function together(text: string, ...calls: Call[]): Step {
  const spoken: Say = { kind: "say", text, pieces: [text] };
  return { kind: "together", say: spoken, calls };
}

/** `chunks` pieces of text, one every `everyMs`; each carries its send time (see `stamp.ts`). */
export function stream(options: { chunks: number; everyMs: number; stamp?: boolean }): Step[] {
  if (options.stamp) return [{ kind: "stamps", count: options.chunks, everyMs: options.everyMs }];
  const text = "word ".repeat(options.chunks);
  return say(text, { chunks: options.chunks, everyMs: options.everyMs });
}

/** An answer of this many characters. */
export function huge(characters: number): Step[] {
  return say("0123456789abcde\n".repeat(Math.ceil(characters / 16)).slice(0, characters));
}

export const emptyAnswer = (): Step[] => [];

// How it ends and what it cost

export function finish(reason: Finish): Step {
  return { kind: "finish", reason };
}

/** The answer stops because of its length; with half a call, the last call's arguments break off. */
export function lengthStop(options: { text?: string; withHalfCall?: boolean } = {}): Step[] {
  const half = options.withHalfCall ? [callRaw("delegate", '{"agent":"research')] : [];
  return [...say(options.text ?? "The answer is"), ...half, finish("length")];
}

export function usage(tokens: Usage): Step {
  return { kind: "usage", report: "plain", usage: tokens };
}
/** Nothing about tokens, anywhere. */
export function noUsage(): Step {
  return { kind: "usage", report: "absent", usage: undefined };
}
/** Input tokens in the first chunk only, output tokens in the last only (OpenAI);
 *  nothing but zeros at the start, everything at the end (Anthropic). */
export function splitUsage(tokens: Usage): Step {
  return { kind: "usage", report: "split", usage: tokens };
}
/** The running total again and again: the last report is the truth, their sum is not. */
export function repeatedUsage(tokens: Usage): Step {
  return { kind: "usage", report: "repeated", usage: tokens };
}

// Order and time

/** A step at which the reply waits until the test opens it. First step: before the headers. */
export function gate(): Gate {
  const opened = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  return {
    kind: "gate",
    open: opened.resolve,
    opened: opened.promise,
    reach: reached.resolve,
    get reached() {
      return within("a reply waits at the gate", reached.promise);
    },
  };
}

export function pause(ms: number): Step {
  return { kind: "pause", ms };
}

/** Sends status and headers now, so that what follows fails after them. */
export const headers = (): Step => ({ kind: "headers" });

export function times(count: number, reply: Reply | ReplyFunction): Times {
  return { kind: "times", count, reply };
}

// Faults. As the only step they strike before the first byte; after speech, in mid-stream.

/** `{key}` in the message becomes the key that the request carried. */
export function httpError(
  status: number,
  message: string,
  options: { retryAfter?: number | string; headers?: Record<string, string>; type?: string } = {},
): HttpFault {
  const extra = { ...options.headers };
  if (options.retryAfter !== undefined) extra["retry-after"] = String(options.retryAfter);
  return { kind: "status", status, message, headers: extra, type: options.type };
}

/** Accepts the request and never says anything again. */
export const hang = (): Step => ({ kind: "hang" });

/** Closes the socket after this many chunks (0: before any byte; after other steps: there).
 *  A reader may lose what came right before; a gate before the cut lets it read that first. */
export function cut(afterChunks = 0): Step[] {
  return afterChunks === 0 ? [{ kind: "cut" }] : [...opening(afterChunks), { kind: "cut" }];
}

/** The body ends in good order but without finish reason, usage or end mark. */
export const endEarly = (): Step => ({ kind: "end" });

/** The vendor's error event with status 200; `{key}` as in `httpError`. */
export function errorInStream(message: string, type?: string): Step {
  return { kind: "fault", message, type };
}

/** The received key, in clear, in the error text: nothing of it may ever be shown or stored. */
export const echoKey = (status = 401): Step =>
  httpError(status, "Incorrect API key provided: {key}.", { headers: { "x-echo": "{key}" } });

export function redirect(location: string, status = 302): HttpFault {
  return httpError(status, "moved", { headers: { location } });
}

/** Status 200 and not the protocol: a proxy's page, broken JSON, or a broken event. */
export function garbage(form: "html" | "json" | "sse" = "html"): Step {
  if (form === "json") return { kind: "raw", text: '{"id": "x", ', contentType: "application/json" };
  if (form === "sse")
    return { kind: "raw", text: 'data: {"id": "x", \n\n', contentType: "text/event-stream" };
  return { kind: "raw", text: "<html><body>Welcome</body></html>\n", contentType: "text/html" };
}

function opening(chunks: number): Step[] {
  if (chunks === 0) return [headers()];
  return say("word ".repeat(chunks), { chunks });
}

export function stepsOf(reply: Reply): Step[] {
  return Array.isArray(reply) ? (reply.flat() as Step[]) : [reply as Step];
}

// Cutting text

const DEFAULT_PIECES_MAX = 50;

function cutText(text: string, pieces: number | undefined): string[] {
  if (pieces !== undefined) return cutEvenly(text, pieces);
  const words = text.length < 10_000 ? (text.match(/\S+\s*|\s+/g) ?? []) : [];
  if (words.length > 0 && words.length <= DEFAULT_PIECES_MAX) return words;
  return cutEvenly(text, DEFAULT_PIECES_MAX);
}

/** Pieces of about one size, never empty and never through the middle of a character. */
function cutEvenly(text: string, pieces: number): string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces));
  const cutUp: string[] = [];
  let start = 0;
  while (start < text.length) {
    let end = Math.min(text.length, start + size);
    const next = text.charCodeAt(end);
    if (next >= 0xdc00 && next <= 0xdfff) end++;
    cutUp.push(text.slice(start, end));
    start = end;
  }
  return cutUp;
}
