// Streams an answer with a list of any length, page by page, so that the list is never in memory as a whole and no other request waits for
// it. Reading a page, writing it as JSON and encoding it each have a turn of their own, which several answers at once share.

import { ownTurn } from "../clock.ts";
import { answerJsonText } from "./answer.ts";

const encoder = new TextEncoder();

/** Each page takes a few milliseconds. */
type Pages<Item> = Iterable<readonly Item[]> | AsyncIterable<readonly Item[]>;

interface List<Item> {
  readonly field: string;
  readonly pages: Pages<Item>;
}

/** The fields before the list, the list, further lists, and the fields after them. `after` is called when all pages are read. */
export interface Listing<Item> extends List<Item> {
  readonly before: Readonly<Record<string, unknown>>;
  readonly more?: readonly List<unknown>[];
  readonly after?: () => Readonly<Record<string, unknown>>;
}

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
      await ownTurn();
      const { done, value } = await pieces.next();
      if (done) return controller.close();
      await ownTurn();
      controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return();
    },
  });
  return answerJsonText(requestId, body);
}

async function* textOf<Item>({
  before,
  field,
  pages,
  more = [],
  after,
}: Listing<Item>): AsyncGenerator<string, void> {
  const members = (values: Readonly<Record<string, unknown>>) => JSON.stringify(values).slice(1, -1);
  const first = members(before);
  let separator = first === "" ? "" : ",";
  yield `{${first}`;
  for (const list of [{ field, pages }, ...more]) {
    yield* listed(`${separator}${JSON.stringify(list.field)}:[`, list.pages, () => "]");
    separator = ",";
  }
  const last = after ? members(after()) : "";
  yield `${last === "" ? "" : `,${last}`}}`;
}

async function* listed<Item>(
  begin: string,
  pages: Pages<Item>,
  end: () => string,
): AsyncGenerator<string, void> {
  yield begin;
  let isFirst = true;
  for await (const page of pages) {
    // Also before the page after an empty one.
    await ownTurn();
    if (page.length === 0) continue;
    yield `${isFirst ? "" : ","}${JSON.stringify(page).slice(1, -1)}`;
    isFirst = false;
  }
  yield end();
}

/** Of the texts in one page: a few milliseconds to write as JSON. */
const PAGE_CHARACTERS_MAX = 512 * 1024;

/** `charactersOf`: of the long texts of an item. One with more than fit is a page of its own. */
export function* inPages<Item>(
  items: Iterable<Item>,
  perPage: number,
  charactersOf: (item: Item) => number = () => 0,
): Generator<Item[]> {
  let page: Item[] = [];
  let total = 0;
  for (const item of items) {
    const characters = charactersOf(item);
    if (page.length === perPage || (page.length > 0 && total + characters > PAGE_CHARACTERS_MAX)) {
      yield page;
      page = [];
      total = 0;
    }
    page.push(item);
    total += characters;
  }
  yield page;
}
