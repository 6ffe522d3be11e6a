// A small client of the API for tests: JSON in and out, refusals as values, event streams as lists.

import { EventStream } from "../../../src/kit/network/event-stream.ts";
import { requireDescribed, requireDescribedSuccess } from "./described.ts";
import { fetchWithin, textWithin } from "./fetch-within.ts";
import type { Answer, Method, ServiceRoutes } from "./answers.ts";
import { within } from "../within.ts";

const REFUSED = 400;

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly code: string;
  readonly details?: Record<string, unknown>;
}

/** The error that a client's methods reject with when the server refuses. */
export class Refused extends Error {
  constructor(
    request: string,
    readonly refusal: Refusal,
  ) {
    super(`${request}: ${refusal.status} ${refusal.code}: ${refusal.message}`);
  }
}

type ErrorBody = Omit<Refusal, "status"> & { readonly request_id: string };

/** The error in the JSON of an answer, if it is that of a refusal. */
export function errorIn(text: string): ErrorBody | undefined {
  return text === "" ? undefined : (JSON.parse(text) as { error?: ErrorBody }).error;
}

/** Raises when the text is not that of a refusal. */
export function refusalIn(status: number, text: string): Refusal {
  const { request_id: _, ...error } = errorIn(text)!;
  return proven({ ...error, status });
}

/** Of the type that is named, or of what the route at this address answers. */
type Typed<T, Routes, M extends Method, P extends string> = [T] extends [never] ? Answer<Routes, M, P> : T;

/** Untyped where method or address do not tell the route. */
type RawJson<Routes, M extends string, P extends string> =
  Lowercase<M> extends infer Name extends Method
    ? unknown extends Answer<Routes, Name, P>
      ? // oxlint-disable-next-line typescript/no-explicit-any
        any
      : Answer<Routes, Name, P>
    : // oxlint-disable-next-line typescript/no-explicit-any
      any;

export interface Client<Routes = ServiceRoutes> {
  readonly url: string;
  get<T = never, const P extends string = string>(path: P): Promise<Typed<T, Routes, "get", P>>;
  post<T = never, const P extends string = string>(
    path: P,
    body?: unknown,
  ): Promise<Typed<T, Routes, "post", P>>;
  put<T = never, const P extends string = string>(
    path: P,
    body?: unknown,
  ): Promise<Typed<T, Routes, "put", P>>;
  patch<T = never, const P extends string = string>(
    path: P,
    body?: unknown,
  ): Promise<Typed<T, Routes, "patch", P>>;
  delete<T = never, const P extends string = string>(path: P): Promise<Typed<T, Routes, "delete", P>>;
  /** The answer as it came; its JSON has the type of what the route answers when it refuses nothing. */
  raw<const M extends string = string, const P extends string = string>(
    method: M,
    path: P,
    init?: { body?: unknown; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<{ json(): Promise<RawJson<Routes, M, P>> } & Response>;
  /** An event stream; read with `for await`, or `until`. */
  events(
    path: string,
    init?: { method?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<EventReader>;
}

export interface StreamEvent {
  readonly id: number | undefined;
  readonly type: string;
  // Whatever the type of event carries.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

/** `url` as a function: where the server is now, also after a restart. */
export function createClient<Routes = ServiceRoutes>(
  url: string | (() => string),
  token?: string,
): Client<Routes> {
  const base = typeof url === "string" ? () => url : url;
  const raw: Client["raw"] = async (method, path, init = {}) => {
    const address = base() + (path.startsWith("/api") || path === "/health" ? path : `/api/v1${path}`);
    const response = await fetchWithin(address, {
      method,
      signal: init.signal ?? null,
      headers: {
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(init.body === undefined ? {} : { "Content-Type": "application/json" }),
        ...init.headers,
      },
      ...(init.body === undefined
        ? {}
        : { body: typeof init.body === "string" ? init.body : JSON.stringify(init.body) }),
    });
    // The refusal of a page of another site is described once, for every route.
    const isForeign = init.headers?.["Origin"] !== undefined;
    const { pathname } = new URL(address);
    if (response.status < REFUSED)
      await requireDescribedSuccess(method, pathname, init.headers ?? {}, response);
    else if (!isForeign) await requireDescribed(method, pathname, response.clone());
    return response;
  };
  const json = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await raw(method, path, { body });
    const text = await textWithin(response);
    if (!response.ok) throw failure(`${method} ${path}`, response.status, text);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  };
  return {
    get url() {
      return base();
    },
    raw,
    get: (path) => json("GET", path),
    post: (path, body) => json("POST", path, body),
    put: (path, body) => json("PUT", path, body),
    patch: (path, body) => json("PATCH", path, body),
    delete: (path) => json("DELETE", path),
    async events(path, init = {}) {
      const { method = "GET", body, headers } = init;
      const response = await raw(method, path, {
        body,
        headers: { Accept: "text/event-stream", ...headers },
      });
      if (!response.ok) throw failure(`${method} ${path}`, response.status, await textWithin(response));
      return new EventReader(response);
    },
  };
}

function failure(request: string, status: number, text: string): Error {
  return text.startsWith('{"error":')
    ? new Refused(request, refusalIn(status, text))
    : new Error(`${request}: ${status} ${text}`);
}

/**
 * Without the field and problem of a refused body, which say the message again in parts: that they do is checked here, for every test
 * that compares the message.
 */
export function proven<T extends Pick<Refusal, "message" | "details">>(refusal: T): T {
  const { field, problem, ...rest } = refusal.details ?? {};
  if (field === undefined || rest["in"] !== undefined) return refusal;
  if (![`${field}: ${problem}`, `${field} ${problem}`].includes(refusal.message))
    throw new Error(`"${refusal.message}" is not about ${field}: ${problem}`);
  const { details: _, ...bare } = refusal;
  return (Object.keys(rest).length === 0 ? bare : { ...bare, details: rest }) as T;
}

/** More than the largest answer of a model, which the service sends in one event. */
const EVENT_CHARACTERS_MAX = 64 * 1024 * 1024;

export class EventReader implements AsyncDisposable {
  readonly response: Response;
  readonly seen: StreamEvent[] = [];
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #arrived: StreamEvent[] = [];
  readonly #stream = new EventStream(
    (data, type, id) =>
      this.#arrived.push({ id: id === "" ? undefined : Number(id), type, data: JSON.parse(data) }),
    (charactersMax) => new Error(`an event has more than ${charactersMax} characters`),
    EVENT_CHARACTERS_MAX,
  );

  constructor(response: Response) {
    this.response = response;
    this.#reader = response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  }

  /** The next event; undefined when the stream has ended. Heartbeats are passed over. Raises if none comes while tests wait. */
  async next(): Promise<StreamEvent | undefined> {
    const arrived = this.#arrived.shift() ?? (await within(() => this.#missing(), this.#read()));
    if (arrived) this.seen.push(arrived);
    return arrived;
  }

  #missing(): string {
    return `the next event of ${this.response.url}; seen: ${this.seen.map(({ type }) => type).join(" ")}`;
  }

  async #read(): Promise<StreamEvent | undefined> {
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#stream.push(value);
      const event = this.#arrived.shift();
      if (event) return event;
    }
  }

  /** Reads on to the first event that fits, and returns it. Raises when the stream ends before. */
  async until(fits: (event: StreamEvent) => boolean): Promise<StreamEvent> {
    for (;;) {
      const event = await this.next();
      if (!event) throw new Error(`the stream ended; seen: ${this.seen.map((each) => each.type).join(" ")}`);
      if (fits(event)) return event;
    }
  }

  /** Reads to the end. */
  async all(): Promise<StreamEvent[]> {
    while (await this.next());
    return this.seen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }
}
