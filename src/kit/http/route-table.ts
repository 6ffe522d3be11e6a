// What the routes of an API say about an address that a request did not fit: which methods it has, and whether it takes a query.

import { AppError } from "../error.ts";

interface Listed {
  readonly method: string;
  readonly path: string;
  readonly hooks: { readonly query?: unknown };
}

export class RouteTable {
  readonly #routes: () => readonly Listed[];
  #queried: ReadonlySet<string> | undefined;

  /** `routes`: asked for when a request comes, since they are still being added when this is made. */
  constructor(routes: () => readonly Listed[]) {
    this.#routes = routes;
  }

  /** `wrong_method`, with the methods that the path has, or `not_found`. */
  refusal(method: string, path: string): AppError {
    const named = this.refusalOfNamed(method, path);
    if (named) return named;
    const methods = this.#routes()
      .filter((route) => patternOf(route.path).test(path))
      .map((route) => route.method);
    if (methods.length === 0) return new AppError("not_found", `${path}: no such route`);
    return wrongMethod(method, path, methods);
  }

  /** `wrong_method` for a path that a route has literally: it is nobody's id, though other routes have a parameter there. */
  refusalOfNamed(method: string, path: string): AppError | undefined {
    const methods = this.#routes()
      .filter((route) => route.path === path)
      .map((route) => route.method);
    return methods.length === 0 ? undefined : wrongMethod(method, path, methods);
  }

  /** Raises `invalid` for a query where the route has none; what others take, their schemas say. */
  requireNoQuery(method: string, route: string, query: string): void {
    if (query === "") return;
    this.#queried ??= new Set(
      this.#routes()
        .filter(({ hooks }) => hooks.query !== undefined)
        .map((one) => `${one.method} ${one.path}`),
    );
    // The framework answers HEAD with the route of GET.
    const declared = method === "HEAD" ? "GET" : method;
    if (!this.#queried.has(`${declared} ${route}`)) throw unknownQuery(query);
  }
}

/** For a path that has only these methods; GET has HEAD with it. */
export function wrongMethod(method: string, path: string, methods: readonly string[]): AppError {
  const heads = methods.includes("GET") ? ["HEAD"] : [];
  const allow = [...new Set([...methods, ...heads])].sort().join(", ");
  return new AppError("wrong_method", `${path}: ${method} is not allowed; use ${allow}`, { allow });
}

/** Raised by what takes no query. */
export function unknownQuery(query: string): AppError {
  const name = new URLSearchParams(query).keys().next().value ?? "";
  return new AppError(
    "invalid",
    `query parameter ${name.slice(0, NAME_CHARACTERS_SHOWN_MAX)}: unknown field`,
  );
}

/** It is the caller's own text. */
const NAME_CHARACTERS_SHOWN_MAX = 100;

/** `:name` is a segment, `*` is all that follows. */
function patternOf(path: string): RegExp {
  const pattern = path
    .split("/")
    .map((part) => (part === "*" ? ".+" : part.startsWith(":") ? "[^/]+" : RegExp.escape(part)))
    .join("/");
  return new RegExp(`^${pattern}$`);
}
