// Every request and answer of a test is one that the API description names for that route: every refusal, every conditional header, every event stream.

import { join } from "node:path";

type Responses = Readonly<
  Record<string, { readonly $ref?: string; readonly content?: object; readonly headers?: object }>
>;

interface Described {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly parameters?: readonly { readonly in?: string; readonly name?: string }[];
            readonly responses: Responses;
          }
        >
      >
    >
  >;
}

interface DescribedOperation {
  readonly name: string;
  readonly pattern: RegExp;
  /** The codes, by status. */
  readonly codes: ReadonlyMap<number, readonly string[]>;
  /** In lower case. */
  readonly headers: ReadonlySet<string>;
  /** The types of content and the headers of each success, by status. */
  readonly successes: ReadonlyMap<number, Success>;
}

interface Success {
  readonly types: readonly string[];
  readonly headers: readonly string[];
}

const RESPONSES = "#/components/responses/";
const BETWEEN_CODES = "_or_";
const FILES = ["openapi.json", "context-openapi.json"];

let known: Promise<readonly DescribedOperation[]> | undefined;

/** The headers by which a request may change what an operation does. */
const READ_HEADERS = ["if-match", "if-none-match", "last-event-id"];

const NOT_MODIFIED = 304;
/** The headers of an answer that clients act on. */
const SENT_HEADERS = ["ETag", "X-Service-State", "X-Service-Unopened"];

/** Raises for an accepted request whose condition, status, type or header no description of this route names. */
export async function requireDescribedSuccess(
  method: string,
  path: string,
  sent: Readonly<Record<string, string>>,
  response: Response,
): Promise<void> {
  const operations = await operationsAt(method, path);
  if (operations.length === 0) return;
  for (const name of Object.keys(sent).map((one) => one.toLowerCase()))
    if (READ_HEADERS.includes(name) && !operations.some(({ headers }) => headers.has(name)))
      throw new Error(`${method} ${path} was sent ${name}, which its description does not name`);
  const successes = operations.flatMap((one) => one.successes.get(response.status) ?? []);
  const answered = (what: string) =>
    new Error(`${method} ${path} answers ${response.status} ${what}, which its description does not name`);
  if (successes.length === 0) throw answered("");
  const [type = ""] = response.headers.get("content-type")?.split(";") ?? [];
  const hasType = ({ types }: Success) => types.includes(type);
  const hasBody = type !== "" && response.status !== NOT_MODIFIED;
  if (hasBody && !successes.some(hasType)) throw answered(type);
  for (const name of SENT_HEADERS)
    if (response.headers.has(name) && !successes.some(({ headers }) => headers.includes(name)))
      throw answered(`with ${name}`);
}

async function operationsAt(method: string, path: string): Promise<readonly DescribedOperation[]> {
  return (await (known ??= read())).filter(({ name, pattern }) => name === method && pattern.test(path));
}

/** Raises for a refusal that no description of this route names. Routes that nobody describes refuse as they like. */
export async function requireDescribed(method: string, path: string, response: Response): Promise<void> {
  const operations = await operationsAt(method, path);
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
    const { paths }: Described = await Bun.file(join(import.meta.dir, "../../golden", file)).json();
    for (const [path, operations] of Object.entries(paths)) {
      const pattern = new RegExp(`^${path.replace(/\{path\}$/, ".+").replaceAll(/\{[^}]+\}/g, "[^/]+")}$`);
      for (const [method, { parameters = [], responses }] of Object.entries(operations))
        all.push({
          name: method.toUpperCase(),
          pattern,
          codes: codesOf(responses),
          headers: new Set(
            parameters.filter((one) => one.in === "header").map(({ name }) => name!.toLowerCase()),
          ),
          successes: new Map(
            Object.entries(responses).map(([status, { content = {}, headers = {} }]) => [
              Number(status),
              { types: Object.keys(content), headers: Object.keys(headers) },
            ]),
          ),
        });
    }
  }
  return all;
}

function codesOf(responses: Responses): ReadonlyMap<number, string[]> {
  const codes = new Map<number, string[]>();
  for (const [status, { $ref }] of Object.entries(responses))
    if ($ref?.startsWith(RESPONSES))
      codes.set(Number(status), $ref.slice(RESPONSES.length).split(BETWEEN_CODES));
  return codes;
}
