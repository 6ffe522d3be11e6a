// Path and query parameters arrive as text. This turns a schema of integers into one that reads them from text; bodies never do that.

import { t } from "elysia";
import { Kind, OptionalKind, type TObject, type TProperties, type TSchema } from "@sinclair/typebox";

/** For `params:` and `query:` of routes. The static type is that of the given schema. */
export function fromText<P extends TProperties>(schema: TObject<P>): TObject<P> {
  const properties = Object.fromEntries(Object.entries(schema.properties).map(([name, field]) => [name, readable(field)]));
  return t.Object(properties, { additionalProperties: false }) as unknown as TObject<P>;
}

function readable(field: TSchema): TSchema {
  if (field[Kind] !== "Integer") return field;
  const { minimum, maximum } = field as { minimum?: number; maximum?: number };
  const integer = t.Integer({ ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) });
  return field[OptionalKind] === "Optional" ? t.Optional(integer) : integer;
}
