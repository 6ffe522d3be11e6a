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

type Pages<Item> = Listing<Item>["pages"];

/** A failure aborts the answer: the truncated text is not valid JSON, so no client takes it for the whole list. */
export function answerListing<Item>(requestId: string, listing: Listing<Item>): Response {
  return streamed(requestId, textOf(listing));
}

/** As `answerListing`, for an answer that is nothing but the list. */
export function answerList<Item>(requestId: string, pages: Pages<Item>): Response {
  return streamed(
    requestId,
    listed("[", pages, () => "]"),
  );
}

function streamed(requestId: string, pieces: AsyncGenerator<string, void>): Response {
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

function textOf<Item>({ before, field, pages, after }: Listing<Item>): AsyncGenerator<string, void> {
  const members = (values: Readonly<Record<string, unknown>>) => JSON.stringify(values).slice(1, -1);
  const first = members(before);
  return listed(`{${first}${first === "" ? "" : ","}${JSON.stringify(field)}:[`, pages, () => {
    const last = after ? members(after()) : "";
    return `]${last === "" ? "" : `,${last}`}}`;
  });
}

async function* listed<Item>(
  begin: string,
  pages: Pages<Item>,
  end: () => string,
): AsyncGenerator<string, void> {
  yield begin;
  let isFirst = true;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield `${isFirst ? "" : ","}${JSON.stringify(page).slice(1, -1)}`;
    isFirst = false;
  }
  yield end();
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
