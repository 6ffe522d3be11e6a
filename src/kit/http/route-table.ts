// Answers requests that match no route, with the allowed methods of a path, and refuses parameters and bodies that a route does not take.

import { AppError, badParameter, fieldError, NAME_CHARACTERS_SHOWN_MAX } from "../error.ts";
import { INTEGER_FORMAT } from "./text-params.ts";

interface Listed {
  readonly method: string;
  readonly path: string;
  readonly hooks: { readonly query?: unknown; readonly body?: unknown };
}

interface Parameter {
  readonly type?: string;
  readonly format?: string;
}

interface QueryFacts {
  /** Parameters that may repeat. */
  readonly lists: ReadonlySet<string>;
  /** Integer parameters, which arrive as text. */
  readonly integers: readonly string[];
}

export class RouteTable {
  readonly #routes: () => readonly Listed[];
  /** By method and path, for routes with a query. */
  #queries: ReadonlyMap<string, QueryFacts> | undefined;
  /** Method and path of the routes with a body. */
  #bodies: ReadonlySet<string> | undefined;

  /** `routes` is called at each request, because routes are still being added at construction. */
  constructor(routes: () => readonly Listed[]) {
    this.#routes = routes;
  }

  /** Returns `wrong_method` with the methods of the path, or `not_found`. */
  refusal(method: string, path: string): AppError {
    const named = this.refusalOfNamed(method, path);
    if (named) return named;
    const methods = this.#routes()
      .filter((route) => patternOf(route.path).test(path))
      .map((route) => route.method);
    if (methods.length === 0) return new AppError("not_found", `${path}: no such route`);
    return wrongMethod(method, path, methods);
  }

  /** Returns `wrong_method` for a literal path of a route, which is not an id even if other routes have a parameter there. */
  refusalOfNamed(method: string, path: string): AppError | undefined {
    const methods = this.#routes()
      .filter((route) => route.path === path)
      .map((route) => route.method);
    return methods.length === 0 ? undefined : wrongMethod(method, path, methods);
  }

  /** Raises `invalid` for a field in the body of a route that takes none. `{}` is no field. */
  refuseBody(method: string, route: string, body: object): void {
    const name = Object.keys(body)[0];
    if (name === undefined) return;
    this.#bodies ??= new Set(
      this.#routes()
        .filter(({ hooks }) => hooks.body !== undefined)
        .map((one) => `${one.method} ${one.path}`),
    );
    if (!this.#bodies.has(`${method} ${route}`))
      throw fieldError("invalid", name.slice(0, NAME_CHARACTERS_SHOWN_MAX), "unknown field");
  }

  /**
   * Raises `invalid` for a query on a route without one, for text that is not UTF-8, and for a repeated parameter that is not a list; schemas check the rest. Converts
   * integers in `values` to numbers, because the schema library would take longer than all checks together.
   */
  takeQuery(method: string, route: string, query: string, values: Record<string, unknown>): void {
    if (query === "") return;
    this.#queries ??= new Map(
      this.#routes()
        .filter(({ hooks }) => hooks.query !== undefined)
        .map((one) => [`${one.method} ${one.path}`, queryFactsOf(one.hooks.query)]),
    );
    // The framework answers HEAD with the route of GET.
    const declared = method === "HEAD" ? "GET" : method;
    const facts = this.#queries.get(`${declared} ${route}`);
    if (!facts) throw unknownQuery(query);
    if (query.includes("%")) requireUtf8(query);
    if (query.includes("&")) requireOnce(query, facts.lists);
    for (const name of facts.integers) if (values[name] !== undefined) values[name] = Number(values[name]);
  }
}

/** The framework would replace what it cannot decode, so that the caller would get something else than was asked for. */
function requireUtf8(query: string): void {
  for (const pair of query.split("&")) {
    try {
      decodeURIComponent(pair);
    } catch {
      const name = pair.split("=", 1)[0]!.slice(0, NAME_CHARACTERS_SHOWN_MAX);
      throw badParameter(name, "must be percent-encoded UTF-8");
    }
  }
}

/** The framework would use one of the two values, and a proxy might use the other. */
function requireOnce(query: string, lists: ReadonlySet<string>): void {
  const seen = new Set<string>();
  for (const name of new URLSearchParams(query).keys()) {
    if (seen.has(name) && !lists.has(name)) throw badParameter(name, "given more than once");
    seen.add(name);
  }
}

function queryFactsOf(schema: unknown): QueryFacts {
  const { properties } = schema as { properties: Readonly<Record<string, Parameter>> };
  const names = Object.keys(properties);
  return {
    lists: new Set(names.filter((name) => properties[name]!.type === "array")),
    integers: names.filter((name) => INTEGER_FORMAT.test(properties[name]!.format ?? "")),
  };
}

/** For a path with only these methods; GET includes HEAD. */
export function wrongMethod(method: string, path: string, methods: readonly string[]): AppError {
  const heads = methods.includes("GET") ? ["HEAD"] : [];
  const allow = [...new Set([...methods, ...heads])].sort().join(", ");
  return new AppError("wrong_method", `${path}: ${method} is not allowed; use ${allow}`, { allow });
}

/** For a route without a schema of its query. Raises `invalid` for a parameter that is not in `known`, is repeated, or is not UTF-8. */
export function requireKnownQuery(query: string, known: readonly string[]): void {
  if (query === "") return;
  const unknown = new URLSearchParams(query).keys().find((name) => !known.includes(name));
  if (unknown !== undefined) throw unknownParameter(unknown);
  requireUtf8(query);
  requireOnce(query, new Set());
}

/** For a route that takes no query. */
export function unknownQuery(query: string): AppError {
  const name = new URLSearchParams(query).keys().next().value ?? "";
  return unknownParameter(name);
}

function unknownParameter(name: string): AppError {
  return badParameter(name.slice(0, NAME_CHARACTERS_SHOWN_MAX), "unknown field");
}

/** `:name` is one segment; `*` is the rest of the path. */
function patternOf(path: string): RegExp {
  const pattern = path
    .split("/")
    .map((part) => (part === "*" ? ".+" : part.startsWith(":") ? "[^/]+" : RegExp.escape(part)))
    .join("/");
  return new RegExp(`^${pattern}$`);
}
