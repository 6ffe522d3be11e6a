// Plain JSON Schema of the validating schemas. Each schema that a feature exports becomes a component of the document, and every use refers to it.

import { ABOUT, INTEGER_FORMAT } from "./text-params.ts";
import { Kind, type TSchema } from "@sinclair/typebox";
import { JUDGED } from "../schema.ts";

/** The exports of schema modules; the name of an export becomes the name of the component. */
export type SchemaModules = readonly Readonly<Record<string, unknown>>[];

type Plain = Record<string, unknown>;

interface Named {
  readonly name: string;
  readonly schema: TSchema;
}

export class Components {
  /** Keyed by the object with the fields or literals, because a copy such as `Type.Optional` shares it. */
  readonly #named = new Map<unknown, Named>();
  /** The referenced components, by name. */
  readonly used: Record<string, object> = {};

  /** @throws Error when two modules export different schemas under one name. */
  constructor(modules: SchemaModules) {
    const schemas = new Map<string, unknown>();
    for (const [name, schema] of modules.flatMap((module) => Object.entries(module))) {
      if (!isSchema(schema) || heart(schema) === undefined) continue;
      if ((schemas.get(name) ?? schema) !== schema)
        throw new Error(`two different schemas are named ${name}`);
      schemas.set(name, schema);
      if (!this.#named.has(heart(schema))) this.#named.set(heart(schema), { name, schema });
    }
  }

  /** Removes keywords that only the validator needs, and simplifies unions of literals and integer formats. */
  plain(schema: TSchema): object {
    return this.#referred(schema) as object;
  }

  #referred(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((inner) => this.#referred(inner));
    if (value === null || typeof value !== "object") return value;
    const named = this.#named.get(heart(value as Plain));
    if (named === undefined || !isCopy(value as Plain, named.schema)) return this.#within(value as Plain);
    this.used[named.name] ??= this.#within(value as Plain);
    return { $ref: `#/components/schemas/${named.name}` };
  }

  #within(value: Plain): object {
    const { [JUDGED]: judged, ...schema } = value;
    if (judged !== undefined) return { ...schema, ...(judged as Plain) };
    const variants = schema["anyOf"] as Plain[] | undefined;
    if (variants?.every((variant) => typeof variant["const"] === "string")) {
      const { anyOf: _, ...rest } = schema;
      return { ...rest, type: "string", enum: variants.map((variant) => variant["const"]) };
    }
    const range = INTEGER_FORMAT.exec(String(schema["format"]));
    if (range) {
      const about = schema[ABOUT] as Plain;
      return { type: "integer", minimum: Number(range[1]), maximum: Number(range[2]), ...about };
    }
    return Object.fromEntries(Object.entries(schema).map(([key, inner]) => [key, this.#referred(inner)]));
  }
}

function isSchema(value: unknown): value is TSchema {
  return typeof value === "object" && value !== null && Kind in value;
}

/** Returns the key of records and unions. Undefined for a bare number or text, whose limits say more than its name. */
function heart(schema: Plain): unknown {
  return schema["properties"] ?? schema["anyOf"];
}

function isCopy(value: Plain, schema: Plain): boolean {
  const keys = Object.keys(schema);
  return keys.length === Object.keys(value).length && keys.every((key) => value[key] === schema[key]);
}
