// A browser without scripts for the console: keeps cookies, follows redirects, fills in the forms that a page really has, and lists its links.
//
//   const ada = await signedIn(server, "ada");
//   const page = await ada.get("/console");
//   await ada.submit(page, "/console/logout");

import { fetchWithin, textWithin } from "../http/fetch-within.ts";
import type { ContextServer } from "./context-server.ts";

export const PASSWORD = "correct horse battery";

interface ConsoleForm {
  readonly action: string;
  readonly method: string;
  /** Values as the browser would send them; without buttons. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface ConsolePage {
  readonly status: number;
  /** After redirects. */
  readonly path: string;
  readonly headers: Headers;
  readonly html: string;
  /** Without markup, white space collapsed. */
  readonly text: string;
  readonly title: string;
  /** Addresses within the server, once each. */
  readonly links: readonly string[];
  readonly forms: readonly ConsoleForm[];
  /** The problems at the fields of the page, by the name of the field; "" for the page as a whole. */
  readonly problems: Readonly<Record<string, string>>;
}

export interface Visitor {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<ConsolePage>;
  /** Sends the form of the page with this action, with other values for some fields. */
  submit(page: ConsolePage, action: string, fields?: Record<string, string>): Promise<ConsolePage>;
  /** A form as no page has it. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<ConsolePage>;
}

const REDIRECTS_MAX = 5;

/** `tls`: of a server whose certificate the system does not trust. */
export function visitor(url: string, tls?: { readonly ca: string }): Visitor {
  const cookies = new Map<string, string>();
  const send = async (method: string, path: string, body?: string, more: Record<string, string> = {}) => {
    let [next, sent] = [path, { method, ...(body === undefined ? {} : { body }) }];
    for (let count = 0; ; count += 1) {
      const form = sent.method === "POST" ? { origin: url, "content-type": FORM_TYPE } : {};
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = { ...(cookie === "" ? {} : { cookie }), ...form, ...more };
      const response = await fetchWithin(url + next, {
        ...sent,
        headers,
        redirect: "manual",
        ...(tls && { tls }),
      });
      for (const one of response.headers.getSetCookie()) keep(cookies, one);
      const location = response.headers.get("location");
      if (response.status !== 303 || location === null || count === REDIRECTS_MAX)
        return pageOf(response, next, await textWithin(response));
      [next, sent] = [location, { method: "GET" }];
    }
  };
  const one: Visitor = {
    cookies,
    get: (path, headers) => send("GET", path, undefined, headers),
    post: (path, fields, headers) => send("POST", path, new URLSearchParams(fields).toString(), headers),
    submit: (page, action, fields = {}) => {
      const form = page.forms.find((found) => found.action === action);
      if (!form) throw new Error(`${page.path} has no form for ${action}: ${JSON.stringify(page.forms)}`);
      return one.post(action, { ...form.fields, ...fields });
    },
  };
  return one;
}

const FORM_TYPE = "application/x-www-form-urlencoded";

function keep(cookies: Map<string, string>, header: string): void {
  const { name, value } = Bun.Cookie.parse(header);
  if (value === "") cookies.delete(name);
  else cookies.set(name, value);
}

/** Gives the user a password and signs in. */
export async function signedIn(server: ContextServer, name: string): Promise<Visitor> {
  await server.admin.put(`/users/${encodeURIComponent(name)}/password`, { password: PASSWORD });
  const one = visitor(server.url);
  const page = await signIn(one, name, PASSWORD);
  if (page.status !== 200 || page.path !== "/console")
    throw new Error(`sign-in: ${page.status} ${page.text}`);
  return one;
}

/** The same, when it sends its first request: the server may start later. */
export function willSignIn(server: ContextServer, name: string): Omit<Visitor, "cookies"> {
  let signing: Promise<Visitor> | undefined;
  const one = () => (signing ??= signedIn(server, name));
  return {
    get: async (...request) => (await one()).get(...request),
    submit: async (...request) => (await one()).submit(...request),
    post: async (...request) => (await one()).post(...request),
  };
}

/** A browser that has exchanged the key of this address of `cairn ui`. */
export async function admittedTo(address: string): Promise<Visitor> {
  const { origin, pathname, search } = new URL(address);
  const one = visitor(origin);
  const page = await one.get(pathname + search);
  if (page.status !== 200) throw new Error(`the key was refused: ${page.status} ${page.text}`);
  return one;
}

/** The same session on another port, where only the name of its cookie differs. */
export function carried({ cookies }: Visitor, from: string, to: string): Visitor {
  const one = visitor(to);
  for (const [name, value] of cookies)
    one.cookies.set(name.replace(new URL(from).port, new URL(to).port), value);
  return one;
}

export async function signIn(one: Visitor, name: string, password: string): Promise<ConsolePage> {
  return one.submit(await one.get("/console/login"), "/console/login", { name, password });
}

/** Enters the code and fills in the setup of a server, up to its last page. */
export async function fillSetup(
  one: Visitor,
  code: string,
  address: Readonly<Record<string, string>>,
): Promise<ConsolePage> {
  const first = await one.submit(await one.get(`/setup?code=${code}`), "/setup/code");
  const second = await one.submit(first, "/setup/address", { reach: "here", ...address });
  const person = { name: "Ada", password: PASSWORD, repeated: PASSWORD };
  const third = await one.submit(second, "/setup/admin", person);
  return one.submit(third, "/setup/space", { space: "plans", template: "team" });
}

function pageOf(response: Response, path: string, html: string): ConsolePage {
  const links = new Set<string>();
  const forms: { action: string; method: string; fields: Record<string, string> }[] = [];
  const problems: Record<string, string> = {};
  let title = "";
  let select = "";
  let into: ((text: string) => void) | undefined;
  const at = (take: (text: string) => void) => (element: HTMLRewriterTypes.Element) => {
    into = take;
    element.onEndTag(() => void (into = undefined));
  };
  const field = (name: string, value: string) => {
    const form = forms.at(-1);
    if (form) form.fields[name] = value;
  };
  new HTMLRewriter()
    .on("title", { element: at((text) => void (title += text)) })
    .on("a[href]", { element: (a) => void links.add(unescaped(a.getAttribute("href")!)) })
    .on("form", {
      element: (form) =>
        void forms.push({
          action: unescaped(form.getAttribute("action") ?? path),
          method: form.getAttribute("method") ?? "get",
          fields: {},
        }),
    })
    .on("input[name]", {
      element: (input) => {
        const type = input.getAttribute("type");
        if ((type === "checkbox" || type === "radio") && !input.hasAttribute("checked")) return;
        const isBox = type === "checkbox";
        field(
          unescaped(input.getAttribute("name")!),
          unescaped(input.getAttribute("value") ?? (isBox ? "on" : "")),
        );
      },
    })
    .on("textarea[name]", {
      element: (area) => {
        const name = area.getAttribute("name")!;
        let text = "";
        into = (piece) => void (text += piece);
        // As a browser: one line end at the start is left out, and line ends are sent as two characters.
        area.onEndTag(() => {
          into = undefined;
          field(name, unescaped(text).replace(/^\n/, "").replaceAll(/\r?\n/g, "\r\n"));
        });
      },
    })
    .on("select[name]", { element: (one) => void (select = one.getAttribute("name")!) })
    .on("select[name] option[selected]", {
      element: (option) => field(select, unescaped(option.getAttribute("value")!)),
    })
    .on(".problem", {
      element: (one) => {
        const name = fieldOf(one);
        at((text) => void add(problems, name, text))(one);
      },
    })
    .on("[role=alert]", { element: at((text) => void add(problems, "", text)) })
    .onDocument({ text: ({ text }) => into?.(text) })
    .transform(html);
  const text = unescaped(html.replaceAll(/<[^>]*>/g, " "))
    .replaceAll(/\s+/g, " ")
    .trim();
  const shared = { status: response.status, path, headers: response.headers, html, text };
  return { ...shared, title: unescaped(title), links: [...links], forms, problems };
}

function fieldOf(element: HTMLRewriterTypes.Element): string {
  return (element.getAttribute("id") ?? "").replace(/^f-(.*)-note$/, "$1");
}

function add(problems: Record<string, string>, name: string, text: string): void {
  problems[name] = unescaped((problems[name] ?? "") + text);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** Text of HTML or XML. */
export function unescaped(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!);
}
