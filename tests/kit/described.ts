// Every refusal that a test meets is one that the API description names for that route: what the two programs answer is what clients were told.

import { join } from "node:path";

interface Described {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, { $ref?: string }>> }>>
    >
  >;
}

interface DescribedOperation {
  readonly name: string;
  readonly pattern: RegExp;
  /** The codes, by status. */
  readonly codes: ReadonlyMap<number, readonly string[]>;
}

const RESPONSES = "#/components/responses/";
const BETWEEN_CODES = "_or_";
const FILES = ["openapi.json", "context-openapi.json"];

let known: Promise<readonly DescribedOperation[]> | undefined;

/** Raises for a refusal that no description of this route names. Routes that nobody describes refuse as they like. */
export async function requireDescribed(method: string, path: string, response: Response): Promise<void> {
  const operations = (await (known ??= read())).filter(
    ({ name, pattern }) => name === method && pattern.test(path),
  );
  if (operations.length === 0) return;
  const text = await response.text();
  if (!text.startsWith('{"error":')) return;
  const { code } = (JSON.parse(text) as { error: { code: string } }).error;
  if (operations.some(({ codes }) => codes.get(response.status)?.includes(code))) return;
  throw new Error(
    `${method} ${path} answers ${response.status} ${code}, which its description does not name`,
  );
}

async function read(): Promise<DescribedOperation[]> {
  const all: DescribedOperation[] = [];
  for (const file of FILES) {
    const { paths }: Described = await Bun.file(join(import.meta.dir, "../golden", file)).json();
    for (const [path, operations] of Object.entries(paths)) {
      const pattern = new RegExp(`^${path.replace(/\{path\}$/, ".+").replaceAll(/\{[^}]+\}/g, "[^/]+")}$`);
      for (const [method, { responses }] of Object.entries(operations))
        all.push({ name: method.toUpperCase(), pattern, codes: codesOf(responses) });
    }
  }
  return all;
}

function codesOf(responses: Readonly<Record<string, { $ref?: string }>>): ReadonlyMap<number, string[]> {
  const codes = new Map<number, string[]>();
  for (const [status, { $ref }] of Object.entries(responses))
    if ($ref?.startsWith(RESPONSES))
      codes.set(Number(status), $ref.slice(RESPONSES.length).split(BETWEEN_CODES));
  return codes;
}
