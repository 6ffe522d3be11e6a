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
