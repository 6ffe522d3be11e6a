// Reads a result of any length in pages, because SQLite cannot pause within a statement.

/** `placeOf`: where a row is in the order of the query. The last page is shorter than `size`, and may be empty. */
export function* pagesOf<Row, Place>(
  pageAfter: (place: Place) => Row[],
  placeOf: (row: Row) => Place,
  start: Place,
  size: number,
): Generator<Row[], void> {
  for (let place = start; ;) {
    const rows = pageAfter(place);
    yield rows;
    if (rows.length < size) return;
    place = placeOf(rows.at(-1)!);
  }
}

/** Of the long texts in one page: a few milliseconds to read and to encode. */
const PAGE_BYTES_MAX = 512 * 1024;

/** A row whose texts were not read. */
export interface SizedRow {
  readonly id: number;
  readonly bytes: number;
}

/** The ids of rows in pages of at most PAGE_BYTES_MAX. A larger row is a page of its own. */
export function* pagesBySize(rows: Iterable<SizedRow>): Generator<number[], void> {
  let page: number[] = [];
  let total = 0;
  for (const { id, bytes } of rows) {
    if (page.length > 0 && total + bytes > PAGE_BYTES_MAX) {
      yield page;
      page = [];
      total = 0;
    }
    page.push(id);
    total += bytes;
  }
  yield page;
}
