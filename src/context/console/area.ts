// How an area of the console declares its pages: a method, a path with parameters, and what answers it.

import type { ComponentChildren } from "preact";
import type { Exchange } from "../../kit/http/exchange.ts";
import type { Form } from "./form.ts";
import type { Crumb } from "./frame.tsx";
import type { Notice } from "./notices.ts";
import type { Place, SpaceTab, Stranger, Visit } from "./visit.ts";

export interface Page {
  readonly kind: "page";
  readonly title: string;
  readonly crumbs?: readonly Crumb[];
  readonly body: ComponentChildren;
  /** 200 unless given. */
  readonly status?: number;
  /** `Set-Cookie` values. */
  readonly cookies?: readonly string[];
}

export type Answer =
  | Page
  /** Goes to another page, which shows the notice. */
  | { readonly kind: "to"; readonly path: string; readonly notice?: Notice }
  /** A part of a page, without its frame. */
  | { readonly kind: "part"; readonly body: ComponentChildren }
  | { readonly kind: "response"; readonly response: Response };

export interface Asked<Who = Visit> {
  readonly visit: Who;
  /** Of the path, decoded once: `:space`, and `*` for the rest. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Empty for GET. Its CSRF token has been compared. */
  readonly form: Form;
  readonly exchange: Exchange;
  /** Aborts when the browser leaves. */
  readonly signal: AbortSignal;
}

interface Pattern {
  /** A GET changes nothing. */
  readonly method: "GET" | "POST";
  /** `:name` is one segment, `*` the rest. */
  readonly path: string;
  /** The parameters of its query; others are refused. Absent: none. */
  readonly query?: readonly string[];
}

/** For people who are signed in. */
export type PageRoute = Pattern & {
  readonly answer: (asked: Asked) => Answer | Promise<Answer>;
};

/** For everyone. */
export type OpenRoute = Pattern & {
  readonly open: (asked: Asked<Stranger>) => Answer | Promise<Answer>;
};

/** Pages that belong together, with their entries in the navigation. */
export interface Area {
  readonly routes: readonly (PageRoute | OpenRoute)[];
  readonly places?: readonly Place[];
  readonly spaceTabs?: readonly SpaceTab[];
}

export function page(title: string, body: ComponentChildren, more: Partial<Page> = {}): Page {
  return { kind: "page", title, body, ...more };
}

export function to(path: string, notice?: string | Notice): Answer {
  if (notice === undefined) return { kind: "to", path };
  return { kind: "to", path, notice: typeof notice === "string" ? { text: notice } : notice };
}

export function part(body: ComponentChildren): Answer {
  return { kind: "part", body };
}

interface Found<Route> {
  readonly route: Route;
  readonly params: Record<string, string>;
}

/** Matches paths. Literal segments win over parameters, as they are listed first. */
export class PageTable<Route extends Pattern> {
  readonly #rows: readonly { readonly route: Route; readonly pattern: RegExp; readonly names: string[] }[];

  constructor(routes: readonly Route[]) {
    this.#rows = routes.map((route) => ({ route, ...compiled(route.path) }));
  }

  /** Undefined: no such path, or it is not well-formed. `methods`: those of the path. */
  find(method: string, path: string): { found: Found<Route> | undefined; methods: string[] } {
    const methods: string[] = [];
    for (const { route, pattern, names } of this.#rows) {
      const match = pattern.exec(path);
      const params = match && decoded(names, match);
      if (!params) continue;
      methods.push(route.method);
      if (route.method === method) return { found: { route, params }, methods };
    }
    return { found: undefined, methods };
  }
}

function compiled(path: string): { pattern: RegExp; names: string[] } {
  const names: string[] = [];
  const source = path
    .split("/")
    .map((segment) => {
      if (segment !== "*" && !segment.startsWith(":")) return RegExp.escape(segment);
      names.push(segment === "*" ? "*" : segment.slice(1));
      return segment === "*" ? "(.+)" : "([^/]+)";
    })
    .join("/");
  return { pattern: new RegExp(`^${source}$`), names };
}

function decoded(names: readonly string[], match: RegExpExecArray): Record<string, string> | undefined {
  try {
    return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(match[index + 1]!)]));
  } catch {
    return undefined;
  }
}
