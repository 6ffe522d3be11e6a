// Answers a request for a page: finds the route, asks the door who it is, compares the CSRF token of a form, and turns what the route answers, or
// raises, into a page. Knows no page but those for problems and for signing in.

import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { AppError, messageOf } from "../../kit/error.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import { requireKnownQuery, wrongMethod } from "../../kit/http/route-table.ts";
import type { Log } from "../../kit/log.ts";
import { randomSecret } from "../../kit/random.ts";
import { assetAnswer } from "./assets.ts";
import { Doubles } from "./double-submit.ts";
import { requireCsrf, type ConsoleDoor, type Entered } from "./door.ts";
import { Form, readForm } from "./form.ts";
import { withQuery } from "./format.ts";
import { Alone, Frame } from "./frame.tsx";
import { Notices } from "./notices.ts";
import { page, PageTable, type Answer, type Area, type Asked, type Page } from "./area.ts";
import { ProblemBody, problemTitle } from "./pages/problem.tsx";
import { lateForm, RepeatBody, SignInAgainBody } from "./pages/repeat.tsx";
import { htmlAnswer, partAnswer, redirect } from "./responses.ts";
import type { Stranger, Visit } from "./visit.ts";

const NONCE_BITS = 128;
/** In the access log, all files of the console have one name. */
const ASSETS = "/console/assets/*";
const LOGIN = "/console/login";
/** A longer address is not worth returning to. */
const NEXT_CHARACTERS_MAX = 2_000;

interface ConsoleDeps {
  readonly areas: readonly Area[];
  readonly door: ConsoleDoor;
  readonly log: Log;
}

/** One request, with what the door found out. */
interface Entry {
  readonly exchange: Exchange;
  readonly entered: Entered;
  readonly nonce: string;
  readonly path: string;
  form: Form;
}

export class Console {
  readonly #deps: ConsoleDeps;
  readonly #table;
  readonly #notices = new Notices();
  readonly #doubles = new Doubles();
  readonly #places;
  readonly #spaceTabs;

  constructor(deps: ConsoleDeps) {
    this.#deps = deps;
    this.#table = new PageTable(deps.areas.flatMap(({ routes }) => routes));
    this.#places = deps.areas.flatMap(({ places = [] }) => places);
    this.#spaceTabs = deps.areas.flatMap(({ spaceTabs = [] }) => spaceTabs);
  }

  /** Raises nothing but what the door raises before it knows anyone. */
  async handle(request: Request, exchange: Exchange): Promise<Response> {
    const asset = assetAnswer(exchange);
    if (asset) {
      exchange.route = ASSETS;
      return asset;
    }
    const nonce = randomSecret(NONCE_BITS);
    const path = exchange.query === "" ? exchange.path : `${exchange.path}?${exchange.query}`;
    const strange: Entered = { caller: undefined, csrf: "", cookies: [] };
    let entry: Entry = { exchange, entered: strange, nonce, path, form: new Form() };
    try {
      entry = { ...entry, entered: this.#deps.door.enter(exchange) };
      return await this.#routed(request, entry);
    } catch (error) {
      return await this.#problem(request, entry, error);
    }
  }

  async #routed(request: Request, entry: Entry): Promise<Response> {
    const { exchange, entered } = entry;
    const method = exchange.method === "HEAD" ? "GET" : exchange.method;
    const { found, methods } = this.#table.find(method, exchange.path);
    if (found) exchange.route = found.route.path;
    const isOpen = found !== undefined && "open" in found.route;
    // Signing in again would ask for a password without need.
    if (isOpen && entered.caller) return redirect(exchange, "/console", entry.nonce, []);
    if (!isOpen && entered.caller === undefined) return this.#signIn(request, entry);
    if (!found && methods.length > 0) throw wrongMethod(exchange.method, exchange.path, methods);
    // As people type it, or as a shortened address. `//host/` would lead to another server.
    if (!found && method === "GET" && /^\/console\/.*[^/]\/$/.test(exchange.path))
      return redirect(exchange, exchange.path.slice(0, -1), entry.nonce, entered.cookies);
    if (!found) throw new AppError("not_found", "no such page");
    if (entered.caller) exchange.caller = entered.caller.name;
    requireKnownQuery(exchange.query, found.route.query ?? []);
    if (method === "POST") {
      entry.form = await readForm(request);
      this.#requireCsrf(entry);
    }
    const asked = {
      params: found.params,
      query: new URLSearchParams(exchange.query),
      form: entry.form,
      exchange,
      signal: request.signal,
    };
    const { route } = found;
    const visit = this.#visitOf(entry);
    const answer =
      "open" in route
        ? await route.open({ ...asked, visit: strangerOf(entry) })
        : await this.#onceIfForm(entry, async () =>
            route.answer({ ...asked, visit: visit! } satisfies Asked),
          );
    return this.#answered(entry, visit, answer);
  }

  #onceIfForm({ exchange, entered, form }: Entry, act: () => Promise<Answer>): Promise<Answer> {
    if (exchange.method === "POST")
      return this.#doubles.once(entered.csrf, `${exchange.path}\n${form.sent}`, act);
    if (isPage(exchange)) this.#doubles.seen(entered.csrf);
    return act();
  }

  #requireCsrf({ exchange, entered, form }: Entry): void {
    try {
      requireCsrf(form.text("csrf"), entered.csrf);
    } catch (error) {
      if (entered.caller && error instanceof AppError)
        this.#deps.door.refused?.(entered.caller, exchange, error);
      throw error;
    }
  }

  /** The form of a page that was loaded before this session began: what was typed is sent again by a click, or not at all. */
  #outdated(entry: Entry, error: unknown): Promise<Response> | undefined {
    const isOutdated = error instanceof AppError && error.details?.["form"] === "expired";
    const { caller, csrf } = entry.entered;
    const late = isOutdated && caller ? lateForm(entry.exchange.path, entry.form) : undefined;
    if (!late) return undefined;
    const body = h(RepeatBody, { csrf, late });
    return this.#answered(entry, this.#visitOf(entry), page("This form has expired", body, { status: 403 }));
  }

  async #answered(entry: Entry, visit: Visit | undefined, answer: Answer): Promise<Response> {
    const { exchange, nonce, entered } = entry;
    const { cookies } = entered;
    if (answer.kind === "response") return answer.response;
    if (answer.kind === "to") {
      if (answer.notice) this.#notices.put(entered.csrf, answer.notice);
      return redirect(exchange, answer.path, nonce, cookies);
    }
    if (answer.kind === "part") {
      const html = renderToString(h("div", null, answer.body));
      return partAnswer(exchange, html, { status: 200, nonce, cookies });
    }
    const status = answer.status ?? 200;
    const set = [...cookies, ...(answer.cookies ?? [])];
    return htmlAnswer(exchange, framed(entry, visit, answer), { status, nonce, cookies: set });
  }

  /** Undefined: not signed in. Takes the notice, if a page will show it. */
  #visitOf(entry: Entry): Visit | undefined {
    const { caller, csrf } = entry.entered;
    if (!caller) return undefined;
    return {
      ...strangerOf(entry),
      caller,
      notice: isPage(entry.exchange) ? this.#notices.take(csrf) : undefined,
      places: this.#places,
      spaceTabs: this.#spaceTabs,
      isSignedIn: this.#deps.door.isSignedIn,
    };
  }

  /** A page goes to the form for signing in and comes back. A form that was sent keeps what the person typed. */
  async #signIn(request: Request, entry: Entry): Promise<Response> {
    const { exchange, nonce, entered, path } = entry;
    if (exchange.method === "POST") {
      entry.form = await readForm(request);
      const late = this.#deps.door.isSignedIn ? lateForm(exchange.path, entry.form) : undefined;
      if (late) {
        const body = h(SignInAgainBody, { csrf: entered.csrf, late });
        return this.#answered(entry, undefined, page(problemTitle(401), body, { status: 401 }));
      }
      throw new AppError("unauthenticated", "your session has ended; sign in, then repeat the change");
    }
    // A link on another site comes without the cookie. A page of our own that loads itself once more brings it along.
    if (exchange.headers["sec-fetch-site"] === "cross-site")
      return partAnswer(
        exchange,
        '<!doctype html><meta http-equiv="refresh" content="0"><title>Cairn</title>',
        {
          status: 200,
          nonce,
        },
      );
    const next = path === "/console" || path.length > NEXT_CHARACTERS_MAX ? undefined : path;
    return redirect(exchange, withQuery(LOGIN, { next }), nonce, entered.cookies);
  }

  async #problem(request: Request, entry: Entry, error: unknown): Promise<Response> {
    const { exchange, nonce, entered } = entry;
    const outdated = this.#outdated(entry, error);
    if (outdated) return outdated;
    if (error instanceof AppError && error.code === "rate_limited") entry.form = await unreadForm(request);
    const shown = error instanceof AppError ? error : this.#defect(exchange, error);
    const { status, details } = shown;
    const kept = entry.form.has("content") ? entry.form.text("content") : undefined;
    const sentence = shown.message;
    const body = h(ProblemBody, { status, sentence, requestId: exchange.id, kept });
    const told: Page = { kind: "page", title: problemTitle(status), body };
    const more: Record<string, string> = {};
    if (details?.["retry_after_seconds"] !== undefined)
      more["Retry-After"] = String(details["retry_after_seconds"]);
    if (shown.code === "wrong_method") more["Allow"] = String(details?.["allow"]);
    const visit = shown.code === "unauthenticated" ? undefined : this.#visitOf(entry);
    return htmlAnswer(exchange, framed(entry, visit, told), {
      status,
      nonce,
      cookies: entered.cookies,
      more,
    });
  }

  #defect(exchange: Exchange, error: unknown): AppError {
    const stack = error instanceof Error ? error.stack : undefined;
    this.#deps.log.error("page failed", { request_id: exchange.id, error: messageOf(error), stack });
    return new AppError(
      "internal",
      "The server failed to answer. Its log has the details under this request ID.",
    );
  }
}

/** The text of a form that was sent too soon. Empty if it cannot be read. */
async function unreadForm(request: Request): Promise<Form> {
  if (request.method !== "POST") return new Form();
  try {
    return await readForm(request);
  } catch {
    return new Form();
  }
}

function framed(entry: Entry, visit: Visit | undefined, { title, crumbs, body }: Page) {
  return visit
    ? h(Frame, { visit, title, crumbs, children: body })
    : h(Alone, { visit: strangerOf(entry), title, children: body });
}

/** False for what a script of a page asks for. */
function isPage({ method, headers }: Exchange): boolean {
  return method === "GET" && headers["sec-fetch-mode"] !== "cors";
}

function strangerOf({ entered, nonce, path }: Entry): Stranger {
  return { csrf: entered.csrf, nonce, path };
}
