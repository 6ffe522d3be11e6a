// The scripted model: a real HTTP server on a free port of 127.0.0.1 that speaks the Anthropic
// Messages and the OpenAI Chat Completions protocol, refuses what they refuse, and answers
// what the test's script says. Must not decide anything that a script could.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { anthropicError, anthropicModels, anthropicWriter } from "./anthropic.ts";
import { validateChatRequest } from "./chat-rules.ts";
import { isObject, objectOf, readRequest, type Protocol } from "./conversation.ts";
import { validateMessagesRequest } from "./messages-rules.ts";
import { openaiError, openaiModels, openaiWriter } from "./openai.ts";
import { play } from "./player.ts";
import { RequestLog, type RecordedRequest } from "./requests.ts";
import type { Reply, ReplyFunction, ScriptItem } from "./script.ts";
import { ANY_MODEL, Scripts } from "./scripts.ts";
import { JSON_HEADERS, planReply, recordStream, recordWhole, type Act } from "./tape.ts";

export interface ModelOptions {
  /** The only key accepted; without it any key will do, but there must be one. */
  key?: string;
  /** A free port by default. */
  port?: number;
}

/** A request for anything but an answer: the list of models, a wrong path. */
export interface Lookup {
  method: string;
  path: string;
  headers: Record<string, string>;
}

const BODY_BYTES_MAX = 32 * 1024 * 1024;
const PATHS: Record<string, Protocol> = { "/v1/messages": "anthropic", "/v1/chat/completions": "openai" };

export async function startModel(options: ModelOptions = {}): Promise<ScriptedModel> {
  const model = new ScriptedModel(options.key);
  await model.listen(options.port ?? 0);
  return model;
}

export class ScriptedModel implements AsyncDisposable {
  /** Every mistake seen: refused requests, scripts that ran out. A good run leaves it empty. */
  readonly problems: string[] = [];
  readonly lookups: Lookup[] = [];
  url = "";
  private readonly scripts = new Scripts();
  private readonly log = new RequestLog();
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((request, response) => {
    this.handle(request, response).catch((error: unknown) => {
      this.problems.push(String(error));
      response.socket?.destroy();
    });
  });
  private calls = 0;

  constructor(private readonly key: string | undefined) {
    this.server.keepAliveTimeout = 0;
    this.server.requestTimeout = 0;
    this.server.on("connection", (socket: Socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
    });
  }

  /** The base address for Anthropic's own client; the AI SDK's wants `openaiUrl` for both. */
  get anthropicUrl(): string {
    return this.url;
  }
  /** The base address with `/v1`, as OpenAI-compatible clients want it. */
  get openaiUrl(): string {
    return `${this.url}/v1`;
  }
  get requests(): RecordedRequest[] {
    return this.log.all;
  }
  /** The most requests that were open at one moment. */
  get peak(): number {
    return this.log.peak;
  }
  /** Replies scripted and not yet asked for. */
  get left(): number {
    return this.scripts.left();
  }

  requestsOf(model: string): RecordedRequest[] {
    return this.requests.filter((request) => request.model === model);
  }

  /** The results of tools that its last request brings back, or the one with this index. */
  resultsOf(model: string, index = -1): string[] {
    return this.requestsOf(model)
      .at(index)!
      .messages.at(-1)!
      .results.map(({ text }) => text);
  }

  /** Adds replies for one model name, each used once and in order. */
  script(model: string, replies: readonly ScriptItem[]): this {
    this.scripts.add(model, replies);
    return this;
  }

  /** Adds replies for whatever model is asked and has no script of its own. */
  reply(...replies: ScriptItem[]): this {
    this.scripts.add(ANY_MODEL, replies);
    return this;
  }

  /** Answers one model name (`*`: any) with a function of the request. */
  on(model: string, reply: ReplyFunction | Reply): this {
    this.scripts.answerWith(model, typeof reply === "function" ? reply : () => reply);
    return this;
  }

  /** Waits for a number of requests, or for one that fits; see `RequestLog.waitFor`. */
  waitFor(
    wanted: number | ((request: RecordedRequest) => boolean),
    limitMs?: number,
  ): Promise<RecordedRequest[]> {
    return this.log.waitFor(wanted, limitMs);
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen(port, "127.0.0.1", () => {
        this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
        resolve();
      });
    });
  }

  /** Closes every connection, also the hanging ones; after it the address refuses. */
  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      for (const socket of this.sockets) socket.destroy();
      this.server.closeAllConnections();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  private async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(incoming.url ?? "/", this.url).pathname;
    const headers = headersOf(incoming);
    const asked = incoming.method === "POST" ? PATHS[path] : undefined;
    const protocol = asked ?? ("anthropic-version" in headers ? "anthropic" : "openai");
    const send = (status: number, body: string): void => {
      response.writeHead(status, JSON_HEADERS).end(body);
    };
    const refuse = (status: number, message: string): void => {
      const write = protocol === "anthropic" ? anthropicError : openaiError;
      send(status, write(status, message));
    };
    if (asked === undefined) this.lookups.push({ method: incoming.method ?? "", path, headers });
    const denied = checkKey(protocol, headers, this.key);
    if (denied) return refuse(...denied);
    if (asked === undefined && path === "/v1/models" && incoming.method === "GET") {
      const names = this.scripts.names();
      return send(200, protocol === "anthropic" ? anthropicModels(names) : openaiModels(names));
    }
    if (asked === undefined) return refuse(404, `Invalid URL (${incoming.method} ${path})`);
    const text = await readBody(incoming);
    if (text === undefined) return refuse(413, "Request exceeds the maximum size");
    const body = parse(text);
    if (!isObject(body)) return refuse(400, "We could not parse the JSON body of your request.");
    const problems = protocol === "anthropic" ? validateMessagesRequest(body) : validateChatRequest(body);
    const request = this.log.add(readRequest(protocol, body, headers), problems);
    const gone = this.follow(request, response);
    if (problems.length > 0) return refuse(400, this.note(request, problems[0] ?? ""));
    if (!this.scripts.knows(request.model)) return refuse(404, unknownModel(request));
    const acts = await this.record(request, text.length).catch((error: unknown) => {
      refuse(400, this.note(request, error instanceof Error ? error.message : String(error)));
      return undefined;
    });
    if (acts === undefined) return;
    if (acts.at(-1)?.do === "cut") response.once("close", () => this.log.close(request, "cut"));
    await play(acts, response, gone);
  }

  private note(request: RecordedRequest, problem: string): string {
    this.problems.push(`request ${request.number} (${request.model}): ${problem}`);
    return problem;
  }

  /** Marks the request done or aborted when its response closes, whichever way it does. */
  private follow(request: RecordedRequest, response: ServerResponse): AbortSignal {
    const gone = new AbortController();
    response.once("finish", () => this.log.close(request, "done"));
    response.once("close", () => {
      // After a scripted cut this comes first: let the cut be noted, it knows better.
      queueMicrotask(() => this.log.close(request, response.writableFinished ? "done" : "aborted"));
      gone.abort();
    });
    return gone.signal;
  }

  private async record(request: RecordedRequest, promptCharacters: number): Promise<Act[]> {
    const reply = await this.scripts.next(request);
    const plan = planReply(reply, promptCharacters);
    const { number, model, raw, stream, headers } = request;
    const options = objectOf(raw.stream_options);
    const writer =
      request.protocol === "anthropic"
        ? anthropicWriter(`msg_${number}`, model, plan)
        : openaiWriter(`chatcmpl-${number}`, model, plan, options.include_usage === true);
    const prefix = request.protocol === "anthropic" ? "toolu_" : "call";
    const nextId = (): string => prefix + String(++this.calls).padStart(5, "0");
    const context = { plan, nextId, key: keyOf(request.protocol, headers) };
    return stream ? recordStream(reply, writer, context) : recordWhole(reply, writer, context);
  }
}

function unknownModel({ protocol, model }: RecordedRequest): string {
  return protocol === "anthropic"
    ? `model: ${model}`
    : `The model \`${model}\` does not exist or you do not have access to it.`;
}

function checkKey(
  protocol: Protocol,
  headers: Record<string, string>,
  key: string | undefined,
): [number, string] | undefined {
  const given = keyOf(protocol, headers);
  const wrong = key !== undefined && given !== key;
  if (protocol === "anthropic") {
    if (given === "") return [401, "x-api-key header is required"];
    if (wrong) return [401, "invalid x-api-key"];
    return headers["anthropic-version"] ? undefined : [400, "anthropic-version: header is required"];
  }
  if (given === "") return [401, "You didn't provide an API key."];
  return wrong ? [401, `Incorrect API key provided: ${mask(given)}.`] : undefined;
}

/** Anthropic takes its key in either header: its own client sends a bearer, the AI SDK the other. */
function keyOf(protocol: Protocol, headers: Record<string, string>): string {
  const bearer = (headers.authorization ?? "").replace(/^Bearer +/i, "");
  return protocol === "anthropic" ? (headers["x-api-key"] ?? bearer) : bearer;
}

function mask(key: string): string {
  return key.length < 12 ? "*".repeat(key.length) : `${key.slice(0, 3)}****${key.slice(-4)}`;
}

function headersOf(incoming: IncomingMessage): Record<string, string> {
  const entries = Object.entries(incoming.headers);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

/** The body as text, or undefined when it is too large. */
async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes <= BODY_BYTES_MAX) parts.push(part);
  }
  return bytes > BODY_BYTES_MAX ? undefined : Buffer.concat(parts).toString("utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An address where nothing listens, for "connection refused". */
export async function closedPort(): Promise<string> {
  const model = await startModel();
  const { url } = model;
  await model.stop();
  return url;
}
