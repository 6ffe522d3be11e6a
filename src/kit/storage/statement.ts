// SQL statements with typed columns and parameters. Up to three values may be positional (`?`, a tuple). Four or more are named (`$name`, an
// object), because no type notices two swapped values in a long list. Each name lookup costs about 50 ns of a 300 to 600 ns statement, so
// short lists stay positional. tests/house/query-plans counts them.

type Value = string | number | bigint | Uint8Array | null;

/** A tuple of values or an object of named ones. Excludes `undefined`, because SQLite would bind NULL. */
export type Parameters<P> = { readonly [K in keyof P]: Value };

type Given<P> = P extends readonly unknown[] ? P : [named: P];

/** A statement, compiled on first use and then kept. Returns columns as `Row`. Raises for a name without a value. */
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

const NAME = /\$(\w+)/g;

/** `compiled` returns the same statement at each call. */
export function queryOf<Row, P extends Parameters<P>>(
  sql: string,
  compiled: () => Compiled<Row>,
): Query<Row, P> {
  const names = [...new Set([...sql.matchAll(NAME)].map(([, name]) => name!))];
  const checked = (params: readonly unknown[]) => {
    if (names.length > 0 && params.length > 0)
      requireNames(names, params[0] as Readonly<Record<string, unknown>>);
    return compiled();
  };
  return {
    get: (...params) => checked(params).get(...params),
    all: (...params) => checked(params).all(...params),
    values: (...params) => checked(params).values(...params) as Columns<Row>[],
    run: (...params) => checked(params).run(...params).changes,
  };
}

/** SQLite would bind NULL to a name without a value. */
function requireNames(names: readonly string[], values: Readonly<Record<string, unknown>>): void {
  for (const name of names) if (values[name] === undefined) throw new Error(`Missing parameter "${name}"`);
}
