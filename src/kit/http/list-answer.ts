// Streams an answer with a list of any length, page by page, so that the list is never in memory as a whole and no other request waits for
// it.

import { turnOfOthers } from "../clock.ts";
import { answerJsonText } from "./answer.ts";

const encoder = new TextEncoder();

/** The fields before the list, the pages, and the fields after it. `after` is called when all pages are read. */
export interface Listing<Item> {
  readonly before: Readonly<Record<string, unknown>>;
  readonly field: string;
  /** Each page takes a few milliseconds. */
  readonly pages: Iterable<readonly Item[]> | AsyncIterable<readonly Item[]>;
  readonly after?: () => Readonly<Record<string, unknown>>;
}

/** A failure aborts the answer: the truncated text is not valid JSON, so no client takes it for the whole list. */
export function answerListing<Item>(requestId: string, listing: Listing<Item>): Response {
  const pieces = textOf(listing);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) return controller.close();
      controller.enqueue(encoder.encode(value));
      await turnOfOthers();
    },
    async cancel() {
      await pieces.return();
    },
  });
  return answerJsonText(requestId, body);
}

async function* textOf<Item>({ before, field, pages, after }: Listing<Item>): AsyncGenerator<string, void> {
  const members = (values: Readonly<Record<string, unknown>>) => JSON.stringify(values).slice(1, -1);
  const first = members(before);
  yield `{${first}${first === "" ? "" : ","}${JSON.stringify(field)}:[`;
  let isFirst = true;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield `${isFirst ? "" : ","}${JSON.stringify(page).slice(1, -1)}`;
    isFirst = false;
  }
  const last = after ? members(after()) : "";
  yield `]${last === "" ? "" : `,${last}`}}`;
}

export function* pagesOf<Item>(items: Iterable<Item>, perPage: number): Generator<Item[]> {
  let page: Item[] = [];
  for (const item of items) {
    page.push(item);
    if (page.length < perPage) continue;
    yield page;
    page = [];
  }
  yield page;
}
