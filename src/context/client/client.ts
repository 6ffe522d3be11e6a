// The HTTP client of a context server. A request returns the response, or raises an AppError as the server reported it. A transport carries the
// requests: over the network, or into a server opened in this process, with the same responses.

import { systemTimers, type Timers } from "../../kit/clock.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import { networkProblem } from "../../kit/network/network-problem.ts";
import { jsonText } from "./answers.ts";
import { interrupted, notJson, refusal } from "./failures.ts";
import { answerInTime, answerLimitMs } from "./answer-timeout.ts";

export type Body = string | Uint8Array<ArrayBuffer>;

export interface Transport {
  /** A display name: a URL or a directory. */
  readonly name: string;
  /** Raises `unavailable` if there is no response. */
  send(method: string, path: string, sent: Sent): Promise<Response>;
  close(): Promise<void>;
}

export interface Sent {
  readonly headers: Record<string, string>;
  readonly body: Body | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly answerMs?: number | undefined;
}

export interface Asked {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly raw?: Uint8Array;
  readonly headers?: Record<string, string>;
  /** Aborts the request, and the reading of its response. */
  readonly signal?: AbortSignal;
  /** The limit until the answer begins, without the time for sending. */
  readonly answerMs?: number;
}

export class Client {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get name(): string {
    return this.#transport.name;
  }

  get<T>(path: string, query: Asked["query"] = {}): Promise<T> {
    return this.json<T>("GET", path, { query });
  }

  /** Returns the JSON of the response; undefined for an empty body. */
  async json<T>(method: string, path: string, asked: Asked = {}): Promise<T> {
    return (await this.answer<T>(method, path, asked)).value;
  }

  /** As `json`, with the headers of the response. */
  async answer<T>(
    method: string,
    path: string,
    asked: Asked = {},
  ): Promise<{ readonly value: T; readonly headers: Headers }> {
    const response = await this.request(method, path, asked);
    const { headers } = response;
    const isJson = headers.get("content-type")?.includes("json") === true;
    try {
      const text = await jsonText(response, this.name);
      if (text === "") return { value: undefined as T, headers };
      if (!isJson) throw notJson(this.name);
      return { value: JSON.parse(text) as T, headers };
    } catch (error) {
      throw error instanceof AppError ? error : interrupted(this.name, messageOf(error));
    }
  }

  /** Raises the AppError of the server (code, message, details), or `invalid` for a path that would resolve to another route. */
  async request(method: string, path: string, asked: Asked = {}): Promise<Response> {
    refuseSteps(path);
    const { query = {}, body, raw, headers = {}, signal, answerMs } = asked;
    const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== false);
    const search = pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&");
    const json = body === undefined ? {} : { "Content-Type": "application/json" };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const response = await this.#transport.send(
      method,
      `/api/v1${path}${search === "" ? "" : `?${search}`}`,
      {
        headers: { ...json, ...headers },
        body: raw === undefined ? text : (raw as Uint8Array<ArrayBuffer>),
        signal,
        answerMs,
      },
    );
    if (!response.ok && response.status !== 304) throw await refusal(response, this.name);
    return response;
  }

  /** Returns a client of the same server whose requests go through `wrap`. */
  through(wrap: (transport: Transport) => Transport): Client {
    return new Client(wrap(this.#transport));
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}

/** Refuses `.` and `..`, because URL normalization would turn a file name into another path. */
function refuseSteps(path: string): void {
  const step = path.split("/").find((segment) => segment === "." || segment === "..");
  if (step !== undefined) throw new AppError("invalid", `"${step}" cannot be a name or a part of a path`);
}

/** Percent-encodes each segment of a path and keeps the slashes. */
export function encodedPath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

export function networkTransport(
  url: string,
  token: string | undefined,
  timers: Timers = systemTimers,
): Transport {
  const base = url.replace(/\/+$/, "");
  return {
    name: base,
    async send(method, path, { headers, body, signal, answerMs }) {
      const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      const limitMs = answerLimitMs(body === undefined ? 0 : Buffer.byteLength(body), answerMs);
      const send = (either: AbortSignal) =>
        fetch(base + path, {
          method,
          headers: { ...headers, ...authorization },
          // A redirect would leak the token.
          redirect: "manual",
          signal: either,
          // The runtime's own limit would hide ours, which says what to do.
          timeout: false,
          ...(body === undefined ? {} : { body }),
        } as RequestInit);
      try {
        return await answerInTime({ server: base, timers, limitMs, signal }, send);
      } catch (error) {
        if (error instanceof AppError) throw error;
        throw new AppError("unavailable", `${base} does not answer: ${networkProblem(error)}`);
      }
    },
    close: () => Promise.resolve(),
  };
}
