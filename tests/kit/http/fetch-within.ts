// `fetch` for tests: a server that never answers fails its test by the name of the request, instead of ending the whole file.

import { RUN_LIMIT_MS } from "../wait-limit.ts";
import { within } from "../within.ts";

type Fetched = Parameters<typeof fetch>;

/** Raises if the head of the answer does not arrive in time. */
export function fetchWithin(url: string, init?: Fetched[1]): Promise<Response> {
  return within(`${nameOf(url, init)} is answered`, fetch(url, init), RUN_LIMIT_MS);
}

/** The whole body of an answer. Raises if it does not end in time. */
export function textWithin(response: Response): Promise<string> {
  return within(`the body of ${response.url} ends`, response.text(), RUN_LIMIT_MS);
}

function nameOf(url: string, init: Fetched[1]): string {
  return `${init?.method ?? "GET"} ${url}`;
}
