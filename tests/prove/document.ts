// The OpenAPI document that the fuzzer reads: the program's own, in which parameters prefer records that exist, so that requests get past the
// first 404, and in which no address leads off this machine.

import { dereferenced, type OpenApiDocument } from "../kit/described-routes.ts";

interface Schema {
  properties?: Record<string, Schema>;
  [key: string]: unknown;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  schema: Schema;
}

interface Operation {
  readonly parameters?: Parameter[];
  readonly requestBody?: { readonly content: Record<string, { schema: Schema }> };
}

export type ApiDocument = OpenApiDocument<Operation>;

/** By parameter name: values of records that exist. */
export type Existing = Readonly<Record<string, readonly (string | number)[]>>;

/** Fields that the program would connect to. */
const ADDRESS_FIELDS: ReadonlySet<string> = new Set(["url", "base_url"]);
const ADDRESSES_HERE = [
  "http://127.0.0.1:9/v1",
  "http://[::1]:9/",
  "https://localhost:9",
  "ftp://127.0.0.1/",
  "",
];

/** Changes `document` and returns it. */
export function prepared(document: ApiDocument, existing: Existing): ApiDocument {
  for (const operations of Object.values(document.paths)) {
    for (const { parameters = [], requestBody } of Object.values(operations)) {
      for (const parameter of parameters) preferExisting(parameter, existing);
      for (const body of Object.values(requestBody?.content ?? {})) {
        // Its own copy: an answer may have the same schema, and says what the program says.
        body.schema = dereferenced(body.schema, document);
        keepHere(body.schema);
      }
    }
  }
  return document;
}

/** Mostly records that exist; sometimes anything that the schema allows. */
function preferExisting(parameter: Parameter, existing: Existing): void {
  const values = existing[parameter.name];
  if (values) parameter.schema = { anyOf: [{ enum: values }, parameter.schema] };
}

function keepHere(schema: Schema): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (ADDRESS_FIELDS.has(name)) schema.properties![name] = { enum: ADDRESSES_HERE };
    else keepHere(field);
  }
}
