// Converts schemas of integers for path and query parameters, which arrive as text. Bodies are never converted.
// Accepts one spelling per number (refuses `1e3`, `+1` and `01`), so that each record has one URL.

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
 * For `params:` of routes. Checked as text here and converted by `numbersOfPath`, because the schema library's decoding would cost more than the
 * rest of a small request.
 */
export function fromPath<P extends TProperties>(schema: TObject<P>): TObject<P> {
  const properties = Object.fromEntries(
    Object.entries(schema.properties).map(([name, field]) => [
      name,
      field[Kind] === "Integer" ? integerText(field) : field,
    ]),
  );
  return Type.Object(properties, { additionalProperties: false }) as TObject<P>;
}

/** Converts path parameters named `id` or `…_id` to numbers. Called after validation, before the handler. */
export function numbersOfPath(params: Record<string, unknown> | undefined): void {
  for (const name in params) {
    if (name === "id" || name.endsWith("_id")) params[name] = Number(params[name]);
  }
}

/** For `query:` of routes. Checked as text here and converted by the route table. */
export function fromText<P extends TProperties>(schema: TObject<P>): TObject<P> {
  const properties = Object.fromEntries(
    Object.entries(schema.properties).map(([name, field]) => [name, readable(field)]),
  );
  return Type.Object(properties, { additionalProperties: false }) as TObject<P>;
}

function readable(field: TSchema): TSchema {
  if (field[Kind] !== "Integer") return field;
  return field[OptionalKind] === "Optional" ? Type.Optional(integerText(field)) : integerText(field);
}

/** Schema keyword: what the API description says of an integer that is parsed from text. */
export const ABOUT = "x-about";

/** The limits of an integer that is parsed from text, from its schema. */
export const INTEGER_FORMAT = /^an integer from (-?\d+) to (\d+)$/;

function integerText(field: TSchema): TSchema {
  const {
    minimum = Number.MIN_SAFE_INTEGER,
    maximum = Number.MAX_SAFE_INTEGER,
    default: given,
    description,
  } = field as { minimum?: number; maximum?: number; default?: number; description?: string };
  const about = {
    ...(given === undefined ? {} : { default: given }),
    ...(description === undefined ? {} : { description }),
  };
  return Type.String({ format: integerFormat(minimum, maximum), [ABOUT]: about });
}

/** The name in error messages: `expected an integer from 1 to 500`. */
function integerFormat(minimum: number, maximum: number): string {
  const format = `an integer from ${minimum} to ${maximum}`;
  FormatRegistry.Set(
    format,
    (text) => INTEGER.test(text) && Number(text) >= minimum && Number(text) <= maximum,
  );
  return format;
}
