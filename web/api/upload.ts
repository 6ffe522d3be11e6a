// Sends a file and tells how far it is, which `fetch` cannot.

import { hearNothing, hearStatus } from "./client.ts";
import { refusalOf } from "./problem.ts";

/**
 * `path` lies under `/api/v1`. `tell` hears the share that was sent, from 0 to 1. Resolves with undefined once `stop` aborts. Raises `Problem`.
 */
export function upload<T>(
  path: string,
  file: Blob,
  stop: AbortSignal,
  tell: (share: number) => void,
): Promise<T | undefined> {
  if (stop.aborted) return Promise.resolve(undefined);
  const request = new XMLHttpRequest();
  const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
  request.open("PUT", `/api/v1${path}`);
  request.responseType = "json";
  request.upload.addEventListener("progress", ({ loaded, total }) => tell(total === 0 ? 0 : loaded / total));
  request.addEventListener("error", () => reject(hearNothing()));
  request.addEventListener("abort", () => resolve(undefined));
  request.addEventListener("load", () => {
    hearStatus(request.status);
    if (request.status >= 200 && request.status < 300) resolve(request.response as T);
    else reject(refusalOf(request.status, request.response));
  });
  stop.addEventListener("abort", () => request.abort(), { once: true });
  request.send(file);
  return promise;
}
