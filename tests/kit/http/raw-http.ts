// One HTTP exchange over a bare socket, for requests that no client library would send.
// Knows just enough of HTTP/1.1 to see where an answer ends.

import { connect } from "node:net";
import { WAIT_LIMIT_MS } from "../wait-limit.ts";

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface RawTarget {
  readonly host: string;
  readonly port: number;
  /** Source address of the connection. */
  readonly from?: string;
}

/** Sends `text` as it stands and reads one answer; of an event stream only the head. Raises when none comes. `target`: or a server's URL. */
export function rawRequest(target: RawTarget | string, text: string): Promise<RawAnswer> {
  if (typeof target !== "string") return rawRequestInParts(target, text, undefined);
  return rawRequestInParts({ host: "127.0.0.1", port: Number(new URL(target).port) }, text, undefined);
}

/** Sends `first`, and the rest once it is known. `first` must not be answerable by itself. */
export function rawRequestInParts(
  target: RawTarget,
  first: string,
  rest: Promise<string> | undefined,
): Promise<RawAnswer> {
  const text = first;
  return new Promise((resolve, reject) => {
    const { host, port, from } = target;
    const socket = connect({ host, port, ...(from === undefined ? {} : { localAddress: from }) });
    let received = "";
    const fail = (reason: string) => {
      clearTimeout(limit);
      socket.destroy();
      reject(new Error(`${reason} after ${JSON.stringify(received)}\nfor ${JSON.stringify(text)}`));
    };
    const limit = setTimeout(() => fail("no answer"), WAIT_LIMIT_MS);
    const look = (over: boolean) => {
      const answer = parseAnswer(received, over || text.startsWith("HEAD "));
      if (answer) {
        clearTimeout(limit);
        socket.destroy();
        resolve(answer);
      } else if (over) fail("the connection ended");
    };
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1");
      look(false);
    });
    socket.on("error", (error) => fail(error.message));
    socket.on("end", () => look(true));
    socket.write(text);
    void rest?.then((more) => socket.write(more));
  });
}

/** Sends `first`, and `rest` once something is answered. Resolves with all answers when the server has closed the connection; raises when not. */
export function rawUntilClosed({ host, port }: RawTarget, first: string, rest: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    let received = "";
    const limit = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection stays open after ${JSON.stringify(received)}`));
    }, WAIT_LIMIT_MS);
    socket.on("data", (chunk: Buffer) => {
      if (received === "") socket.write(rest);
      received += chunk.toString("latin1");
    });
    socket.on("error", reject);
    socket.on("close", () => {
      clearTimeout(limit);
      resolve(received);
    });
    socket.write(first);
  });
}

function parseAnswer(text: string, headIsAll: boolean): RawAnswer | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const body = text.slice(end + 4);
  const status = Number(first.split(" ")[1]);
  const length = headers["content-length"];
  const whole =
    length !== undefined ? body.length >= Number(length) : headers["transfer-encoding"] === undefined;
  const stream = headers["content-type"] === "text/event-stream";
  return headIsAll || whole || stream ? { status, headers, body } : undefined;
}

interface RawStream extends AsyncDisposable {
  /** Resolves with all that was sent once the server has closed the connection; raises when it does not. */
  readonly closed: Promise<string>;
}

/** Opens an event stream over a bare socket, which stays open until the server closes it. Resolves when its head has come. */
export async function rawStream(url: string, path: string, token: string): Promise<RawStream> {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<string>();
  const limit = setTimeout(() => closed.reject(new Error("the connection stays open")), WAIT_LIMIT_MS);
  let received = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
    opened.resolve();
  });
  socket.on("error", (error) => closed.reject(error));
  socket.on("end", () => closed.resolve(received));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await Promise.race([opened.promise, closed.promise]);
  return {
    closed: closed.promise.finally(() => clearTimeout(limit)),
    [Symbol.asyncDispose]: () => {
      socket.destroy();
      return Promise.resolve();
    },
  };
}
