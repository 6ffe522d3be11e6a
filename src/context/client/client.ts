// The HTTP client of a context server: one request, its answer or an AppError with what the server said. Where the requests go is a
// transport: over the network, or into a server opened in this very process. The answers are the same.

import {
  AppError,
  type ErrorCode,
  type ErrorDetails,
  messageOf,
  statusOf,
  systemCode,
} from "../../kit/error.ts";

export type Body = string | Uint8Array<ArrayBuffer>;

export interface Transport {
  /** For people: an address, or a directory. */
  readonly name: string;
  /** Raises `unavailable` when there is no answer. */
  send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: Body | undefined,
  ): Promise<Response>;
  close(): Promise<void>;
}

export interface Asked {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly raw?: Uint8Array;
  readonly headers?: Record<string, string>;
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

  /** The answer's JSON; undefined for an empty one. */
  async json<T>(method: string, path: string, asked: Asked = {}): Promise<T> {
    const response = await this.request(method, path, asked);
    const text = await response.text();
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  /** Raises AppError with code, message and details as the server gave them; `invalid` for a path that would lead to another route. */
  async request(method: string, path: string, asked: Asked = {}): Promise<Response> {
    refuseSteps(path);
    const { query = {}, body, raw, headers = {} } = asked;
    const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== false);
    const search = pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&");
    const json = body === undefined ? {} : { "Content-Type": "application/json" };
    const response = await this.#transport.send(
      method,
      `/api/v1${path}${search === "" ? "" : `?${search}`}`,
      { ...json, ...headers },
      raw === undefined
        ? body === undefined
          ? undefined
          : JSON.stringify(body)
        : (raw as Uint8Array<ArrayBuffer>),
    );
    if (!response.ok && response.status !== 304) throw await refusal(response, this.name);
    return response;
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}

/** An address is shortened by `.` and `..` before it is sent: what was meant as the name of a file would then name something else. */
function refuseSteps(path: string): void {
  const step = path.split("/").find((segment) => segment === "." || segment === "..");
  if (step !== undefined)
    throw new AppError("invalid", `"${step}" can't be a name, and no part of a path in a space`);
}

/** Segments of a path, encoded one by one: the slashes between them stay. */
export function encodedPath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

export function networkTransport(url: string, token: string | undefined): Transport {
  const base = url.replace(/\/+$/, "");
  return {
    name: base,
    async send(method, path, headers, body) {
      const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      try {
        return await fetch(base + path, {
          method,
          headers: { ...headers, ...authorization },
          // A redirect would take the token along.
          redirect: "manual",
          ...(body === undefined ? {} : { body }),
        });
      } catch (error) {
        throw new AppError("unavailable", `${base} does not answer: ${inWords(error)}`);
      }
    },
    close: () => Promise.resolve(),
  };
}

/** The usual failures, without the words of the library that met them. */
function inWords(error: unknown): string {
  switch (systemCode(error)) {
    case "ECONNREFUSED":
      return "nothing listens there; does the server run, and is the port right?";
    case "ENOTFOUND":
      return "there is no machine of that name";
    default:
      return messageOf(error);
  }
}

async function refusal(response: Response, server: string): Promise<AppError> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as {
      error: { message: string; code: string; details?: ErrorDetails };
    };
    if (Object.hasOwn(statusOf, error.code))
      return new AppError(error.code as ErrorCode, error.message, error.details);
  } catch {
    // Not in our shape: a proxy, or another program.
  }
  return new AppError("unavailable", `${server} answered ${response.status}; is it a context server?`);
}
