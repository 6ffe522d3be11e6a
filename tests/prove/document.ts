// Prepares the OpenAPI document for the fuzzer: the program's own document, but parameters prefer existing records, so that requests get past the
// first 404, and no URL leads off this machine.

import { dereferenced, type OpenApiDocument } from "../kit/http/described-routes.ts";

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
  parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { schema: Schema }> };
}

export type ApiDocument = OpenApiDocument<Operation>;

/** Values of existing records, by parameter name. */
export type Existing = Readonly<Record<string, readonly (string | number)[]>>;

/** Fields with URLs that the program would connect to. */
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
    for (const operation of Object.values(operations)) {
      operation.parameters = dereferenced(operation.parameters ?? [], document);
      for (const parameter of operation.parameters) preferExisting(parameter, existing);
      for (const body of Object.values(operation.requestBody?.content ?? {})) {
        // A copy, because a response may share the schema and must stay as declared.
        body.schema = dereferenced(body.schema, document);
        keepHere(body.schema);
      }
    }
  }
  return document;
}

/** Mostly existing records, sometimes anything that the schema allows. */
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
