// Path and query parameters arrive as text. This turns a schema of integers into one that reads them from text; bodies never do that.
// One spelling for one number (`1e3`, `+1` and `01` are refused), so that an address names one thing.

import {
  FormatRegistry,
  Kind,
  OptionalKind,
  Type,
  type TObject,
  type TProperties,
  type TSchema,
} from "@sinclair/typebox";

const INTEGER = /^(?:0|-?[1-9][0-9]{0,15})$/;

/**
 * For `params:` of routes. Checked as text here and turned into numbers by `numbersOfPath`: the decoding of the schema library would cost
 * more than the rest of a small request.
 */
export function fromPath<P extends TProperties>(schema: TObject<P>): TObject<P> {
  const properties = Object.fromEntries(
    Object.entries(schema.properties).map(([name, field]) => [
      name,
      field[Kind] === "Integer" ? integerText(field) : field,
    ]),
  );
  return Type.Object(properties, { additionalProperties: false }) as unknown as TObject<P>;
}

/** Path parameters that are ids by their name, `id` or `…_id`, as numbers. Called after they were checked, before the handler. */
export function numbersOfPath(params: Record<string, unknown> | undefined): void {
  for (const name in params) {
    if (name === "id" || name.endsWith("_id")) params[name] = Number(params[name]);
  }
}

/** For `query:` of routes: checked as text as well, and turned into numbers by the route table. */
export function fromText<P extends TProperties>(schema: TObject<P>): TObject<P> {
  const properties = Object.fromEntries(
    Object.entries(schema.properties).map(([name, field]) => [name, readable(field)]),
  );
  return Type.Object(properties, { additionalProperties: false }) as unknown as TObject<P>;
}

function readable(field: TSchema): TSchema {
  if (field[Kind] !== "Integer") return field;
  return field[OptionalKind] === "Optional" ? Type.Optional(integerText(field)) : integerText(field);
}

/** The limits of an integer that is read from text, as its schema has them. */
export const INTEGER_FORMAT = /^an integer from (-?\d+) to (\d+)$/;

function integerText(field: TSchema): TSchema {
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = field as {
    minimum?: number;
    maximum?: number;
  };
  return Type.String({ format: integerFormat(minimum, maximum) });
}

/** Named as it is shown when a value does not fit: `expected an integer from 1 to 500`. */
function integerFormat(minimum: number, maximum: number): string {
  const format = `an integer from ${minimum} to ${maximum}`;
  FormatRegistry.Set(
    format,
    (text) => INTEGER.test(text) && Number(text) >= minimum && Number(text) <= maximum,
  );
  return format;
}
