// Statements of a database with typed columns and parameters. Up to three values may be positional (`?`, a tuple); from four on they are named
// (`$name`, an object with those names), because of ten values in a row two are easily swapped and no type notices. SQLite looks a name up at
// each call: about 50 ns of a statement that takes 300 to 600 ns, which is why short ones stay positional. tests/house/query-plans counts them.

type Value = string | number | bigint | Uint8Array | null;

/** A tuple of values or an object of named ones. A value that is left out would be bound as NULL, so `undefined` is no value. */
export type Parameters<P> = { readonly [K in keyof P]: Value };

type Given<P> = P extends readonly unknown[] ? P : [named: P];

/** A statement that is compiled when first used and then kept. Columns come back as `Row`. A name without a value raises. */
export interface Query<Row, P extends Parameters<P>> {
  get(...params: Given<P>): Row | null;
  all(...params: Given<P>): Row[];
  /** As `all`, with each row as the list of its columns: faster where there are very many rows. */
  values(...params: Given<P>): Columns<Row>[];
  /** Returns how many rows changed. */
  run(...params: Given<P>): number;
}

/** A row whose type is a list has these columns in this order. */
type Columns<Row> = Row extends readonly unknown[] ? Row : never;

/** The part of Bun's `Statement` that is used here. */
interface Compiled<Row> {
  get(...params: unknown[]): Row | null;
  all(...params: unknown[]): Row[];
  values(...params: unknown[]): unknown[][];
  run(...params: unknown[]): { changes: number };
}

/** `compiled` returns the statement, the same at each call. */
export function queryOf<Row, P extends Parameters<P>>(compiled: () => Compiled<Row>): Query<Row, P> {
  return {
    get: (...params) => compiled().get(...params),
    all: (...params) => compiled().all(...params),
    values: (...params) => compiled().values(...params) as Columns<Row>[],
    run: (...params) => compiled().run(...params).changes,
  };
}
