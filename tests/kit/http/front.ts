// A door in front of a server, such as a proxy: passes requests on, unless a test answers them itself.

interface Front extends AsyncDisposable {
  readonly url: string;
  /** Answers instead of the server; undefined: pass it on. */
  answer: (path: string, request: Request) => Response | Promise<Response> | undefined;
}

export function frontOf(serverUrl: () => string): Front {
  const served = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const own = front.answer(pathname, request);
      if (own !== undefined) return own;
      const headers = new Headers(request.headers);
      headers.delete("host");
      const { method, signal } = request;
      const body = await request.arrayBuffer();
      return fetch(serverUrl() + pathname + search, {
        method,
        headers,
        signal,
        ...(body.byteLength > 0 ? { body } : {}),
      });
    },
  });
  const front: Front = {
    url: served.url.origin,
    answer: () => undefined,
    [Symbol.asyncDispose]: () => served.stop(true),
  };
  return front;
}

/** An answer that never comes. */
export function never(): Promise<Response> {
  return new Promise(() => {});
}
