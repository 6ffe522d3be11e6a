// The pages of the setup: the code, four steps, and the end. Each step checks its own fields; nothing is written before the last one.

import { h } from "preact";
import { reachableAddresses } from "../../kit/network/addresses.ts";
import { AppError } from "../../kit/error.ts";
import { hostAndPort } from "../../kit/network/hosts.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import type { Scheme } from "../../kit/http/guard.ts";
import { randomSecret } from "../../kit/random.ts";
import { page, to, type Answer, type Area, type Asked, type OpenRoute } from "../console/area.ts";
import type { ConsoleCookies } from "../console/door.ts";
import { failureOf, type Failure } from "../console/failure.ts";
import { Alone } from "../console/frame.tsx";
import { htmlAnswer, redirect } from "../console/responses.ts";
import type { Stranger } from "../console/visit.ts";
import { templateNames, templateSummary } from "../spaces/templates.ts";
import {
  AddressBody,
  AdminBody,
  CodeBody,
  DoneBody,
  OverBody,
  ReviewBody,
  SpaceBody,
} from "./pages/setup.tsx";
import type { Listen, Setup } from "./setup.ts";

const OVER_TITLE = "This server is set up already";
/** The pages of the setup no longer exist. */
const OVER_STATUS = 404;
const NONCE_BITS = 128;
/** All addresses of this machine. */
const WILDCARDS = ["0.0.0.0", "::"];

const TEMPLATES = templateNames.map((value) => ({ value, label: value, note: templateSummary(value) }));

type Ask = Asked<Stranger>;

export function setupArea(setup: Setup, cookies: ConsoleCookies): Area {
  const show = (path: string, body: (asked: Ask) => Answer): OpenRoute => ({
    method: "GET",
    path,
    open: (asked) => {
      if (!setup.isOpen) return overPage();
      return setup.isAdmitted(asked.visit.csrf) ? body(asked) : to("/setup");
    },
  });
  const take = (path: string, act: (asked: Ask) => Promise<Answer>): OpenRoute => ({
    method: "POST",
    path,
    open: (asked) => {
      if (!setup.isOpen) return overPage();
      if (!setup.isAdmitted(asked.visit.csrf)) throw new AppError("forbidden", "enter the code first");
      return act(asked);
    },
  });
  return {
    routes: [
      ...codeRoutes(setup),
      show("/setup/address", ({ visit }) => addressPage(visit, setup)),
      take("/setup/address", (asked) => takeAddress(asked, setup)),
      show("/setup/admin", ({ visit }) => adminPage(visit, setup.draft.admin?.name ?? "")),
      take("/setup/admin", (asked) => takeAdmin(asked, setup)),
      show("/setup/space", ({ visit }) =>
        spacePage(visit, setup.draft.space ?? { name: "team", template: "team" }),
      ),
      take("/setup/space", (asked) => takeSpace(asked, setup)),
      show("/setup/review", ({ visit }) => reviewPage(visit, setup)),
      take("/setup/review", (asked) => finish(asked, setup, cookies)),
    ],
  };
}

function codeRoutes(setup: Setup): OpenRoute[] {
  const shown = (visit: Stranger, code: string, failure?: Failure) =>
    page("Set up this server", h(CodeBody, { visit, code, failure }), statusOf(failure));
  return [
    {
      method: "GET",
      path: "/setup",
      query: ["code"],
      open: ({ visit, query }) =>
        setup.isAdmitted(visit.csrf) ? to("/setup/address") : shown(visit, query.get("code") ?? ""),
    },
    {
      method: "POST",
      path: "/setup/code",
      open: ({ visit, form }) => {
        try {
          setup.admit(visit.csrf, form.text("code"));
          return to("/setup/address");
        } catch (error) {
          return shown(visit, "", failureOf(error));
        }
      },
    },
    { method: "GET", path: "/setup/code", open: () => to("/setup") },
  ];
}

function statusOf(failure: Failure | undefined): { status?: number } {
  return failure ? { status: failure.status } : {};
}

function addressPage(
  visit: Stranger,
  setup: Setup,
  typed?: { host: string; port: string },
  failure?: Failure,
) {
  const { host, port } = setup.draft.listen;
  const shown = typed ?? { host, port: String(port) };
  return page("Address", h(AddressBody, { visit, ...shown, failure }), statusOf(failure));
}

async function takeAddress({ visit, form }: Ask, setup: Setup): Promise<Answer> {
  const isHere = form.text("reach") !== "network";
  const typed = { host: isHere ? "127.0.0.1" : form.text("address").trim(), port: form.text("port").trim() };
  try {
    await setup.setListen(typed.host, typed.port);
    return to("/setup/admin");
  } catch (error) {
    return addressPage(visit, setup, typed, failureOf(error));
  }
}

function adminPage(visit: Stranger, name: string, failure?: Failure): Answer {
  return page("First admin", h(AdminBody, { visit, name, failure }), statusOf(failure));
}

async function takeAdmin({ visit, form }: Ask, setup: Setup): Promise<Answer> {
  const name = form.text("name");
  try {
    await setup.setAdmin(name, form.text("password"), form.text("repeated"));
    return to("/setup/space");
  } catch (error) {
    return adminPage(visit, name, failureOf(error));
  }
}

function spacePage(visit: Stranger, typed: { name: string; template: string }, failure?: Failure): Answer {
  return page(
    "First space",
    h(SpaceBody, { visit, ...typed, templates: TEMPLATES, failure }),
    statusOf(failure),
  );
}

async function takeSpace({ visit, form }: Ask, setup: Setup): Promise<Answer> {
  const typed = { name: form.text("space").trim(), template: form.text("template") };
  try {
    setup.setSpace(typed.name, typed.template);
    return to("/setup/review");
  } catch (error) {
    return spacePage(visit, typed, failureOf(error, "template"));
  }
}

/** Leads to the first step that is missing. */
function reviewPage(visit: Stranger, setup: Setup, failure?: Failure): Answer {
  const { admin, space, listen } = setup.draft;
  if (!admin) return to("/setup/admin");
  if (!space) return to("/setup/space");
  return page(
    "Review",
    h(ReviewBody, { visit, admin: admin.name, space, listen, changes: setup.changes, failure }),
    statusOf(failure),
  );
}

/** The addresses of the console from now on, the one for this browser first. */
function addressesOf({ host, port }: Listen, scheme: Scheme): string[] {
  const hosts = WILDCARDS.includes(host) ? ["127.0.0.1", ...reachableAddresses()] : [host];
  return hosts.map((one) => `${scheme}://${hostAndPort(one, port)}/console`);
}

async function finish(
  { visit, form, exchange }: Ask,
  setup: Setup,
  cookies: ConsoleCookies,
): Promise<Answer> {
  const before = exchange.headers["host"] ?? "";
  try {
    const { secret, listen } = await setup.finish(exchange, Number(form.text("changes")));
    const session = cookies.set(exchange, "session", secret);
    const isSame = before.endsWith(`:${listen.port}`) && ["127.0.0.1", "localhost"].includes(listen.host);
    if (!isSame)
      return page("The server is ready", h(DoneBody, { urls: addressesOf(listen, cookies.scheme) }));
    const set = [session, cookies.set(exchange, "visitor", "")];
    return { kind: "response", response: redirect(exchange, "/console", visit.nonce, set) };
  } catch (error) {
    return setup.isOpen ? reviewPage(visit, setup, failureOf(error)) : overPage();
  }
}

function overPage(): Answer {
  return page(OVER_TITLE, h(OverBody, { server: "" }), { status: OVER_STATUS });
}

/**
 * The answer to every request for the setup once the first admin exists. Needs no token of a form: it changes nothing. `server`: where the server is
 * now, if not here.
 */
export function setupOver(exchange: Exchange, server = ""): Promise<Response> {
  const nonce = randomSecret(NONCE_BITS);
  const visit = { csrf: "", nonce, path: exchange.path };
  const markup = h(Alone, { visit, title: OVER_TITLE, children: h(OverBody, { server }) });
  return htmlAnswer(exchange, markup, { status: OVER_STATUS, nonce });
}
