// Hands the worker threads of servers that have stopped on to the next ones: the tests start hundreds of servers in one process, and each would
// load the encoder of tokens again, for a third of a second. A worker knows nothing of its server, since a job comes with all that it needs
// (src/kit/workers). A thread that is ended while it works does end, and so does the thread of any other program.

import type { Thread } from "../../src/kit/workers/entry.ts";
import type { Reply } from "../../src/kit/workers/job.ts";

const HANDED_ON = /\/src\/(?:service|context)\/worker\.ts$/;

const idle = new Map<string, Thread[]>();

/** For this process. */
export function handWorkersOn(): void {
  const { Worker: Real } = globalThis;
  const open = (url: string) => (HANDED_ON.test(url) ? handedOn(url, Real) : new Real(url));
  globalThis.Worker = new Proxy(Real, { construct: (_, [url]) => open(String(url)) });
}

/** The thread as one of its users sees it. */
function handedOn(url: string, Real: typeof Worker): Worker {
  const thread = idle.get(url)?.pop() ?? (new Real(url) as Thread);
  const user = new EventTarget();
  const mine = new AbortController();
  let jobs = 0;
  const pass = (type: string, copy: (event: never) => Event) =>
    thread.addEventListener(type, (event) => user.dispatchEvent(copy(event as never)), {
      signal: mine.signal,
    });
  pass("message", ({ data }: MessageEvent<Reply>) => {
    if (data.kind !== "begun") jobs -= 1;
    return new MessageEvent("message", { data });
  });
  pass("error", ({ message }: ErrorEvent) => new ErrorEvent("error", { message }));
  pass("close", () => new Event("close"));
  return Object.assign(user, {
    ref: () => thread.ref(),
    unref: () => thread.unref(),
    postMessage(message: unknown) {
      jobs += 1;
      thread.postMessage(message);
    },
    terminate() {
      if (jobs > 0) return thread.terminate();
      if (mine.signal.aborted) return;
      mine.abort();
      thread.unref();
      idle.set(url, [...(idle.get(url) ?? []), thread]);
      user.dispatchEvent(new Event("close"));
    },
  }) as unknown as Worker;
}
