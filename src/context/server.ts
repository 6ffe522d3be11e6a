// The route map of the context server: everything that it serves over HTTP, on one screen.

import { AppError } from "../kit/error.ts";
import { bytesMaxOf, createApi } from "../kit/http/api.ts";
import type { Exchange } from "../kit/http/exchange.ts";
import { admission } from "../kit/http/admission.ts";
import { SECURITY_HEADERS } from "../kit/http/answer.ts";
import { descriptionRoutes } from "../kit/http/description.ts";
import { healthRoutes } from "../kit/http/health.ts";
import { isApi } from "../kit/http/guard.ts";
import type { ApiFacts } from "../kit/http/operation-facts.ts";
import type { DescribedRoute } from "../kit/http/openapi.ts";
import type { Handle } from "../kit/http/serve.ts";
import type { Log } from "../kit/log.ts";
import { metricsAnswer } from "../kit/metrics/metrics-answer.ts";
import { auditRoutes } from "./audit/routes.ts";
import { backupRoutes } from "./backup/routes.ts";
import { operationLimits } from "./operation-limits.ts";
import { operations } from "./operations.ts";
import { schemas } from "./schemas.ts";
import { eventRoutes } from "./events/routes.ts";
import { FILE_ROUTE, fileRoutes } from "./files/routes.ts";
import { FILE_BYTES_CEILING } from "./versioned-store/schema.ts";
import { freshnessRoutes } from "./freshness/routes.ts";
import { graphRoutes } from "./graph/routes.ts";
import type { CallerKind } from "./identity/admission.ts";
import type { Parts } from "./parts.ts";
import { peopleRoutes } from "./people/routes.ts";
import { withAllowance } from "./rate/rate-limits.ts";
import type { SetupOptions } from "./server-setup.ts";
import { searchRoutes } from "./search/routes.ts";
import { spaceRoutes } from "./spaces/routes.ts";
import { webhookRoutes } from "./webhooks/routes.ts";
import { PULL_BODY_LIMITS, PUSH_BODY_BYTES_MAX, PUSH_ROUTE, syncRoutes } from "./sync/routes.ts";

const API = "/api/v1";
const CONSOLE = "/console";
const SETUP = "/setup";
/** Pages whose forms the guard accepts. */
export const FORM_FOLDERS = [`${CONSOLE}/`, `${SETUP}/`];
const UNREAD_BODIES = [
  { method: "PUT", route: FILE_ROUTE, bytesMax: FILE_BYTES_CEILING },
  { method: "POST", route: PUSH_ROUTE, bytesMax: PUSH_BODY_BYTES_MAX },
] as const;
export const API_FACTS: ApiFacts = {
  prefix: API,
  operations,
  limits: operationLimits,
  schemas,
  isCounted: true,
  bodyBytesMax: bytesMaxOf([...UNREAD_BODIES, ...PULL_BODY_LIMITS]),
};

export function createRoutes(parts: Parts, log: Log) {
  const plugin = admission(parts.door);
  const kinds = new Map<string, CallerKind>();
  // A caller who is not admitted must not make the server read a body.
  const door = (request: Request, route: string, params: Readonly<Record<string, string>>) => {
    const kind = kinds.get(`${request.method} ${route}`);
    if (kind !== undefined) parts.door.admitBody(kind, { request, route, params });
  };
  const api = createApi({
    log,
    prefix: API,
    unreadBodies: UNREAD_BODIES,
    bodyLimits: PULL_BODY_LIMITS,
    door,
  })
    .use(healthRoutes(plugin, parts.health))
    .use(peopleRoutes(plugin, parts.logins, parts.users, parts.rules))
    .use(spaceRoutes(plugin, parts.spaces))
    .use(fileRoutes(plugin, parts.files))
    .use(freshnessRoutes(plugin, parts.freshness))
    .use(graphRoutes(plugin, parts.graph))
    .use(searchRoutes(plugin, parts.search))
    .use(syncRoutes(plugin, parts.sync))
    .use(auditRoutes(plugin, parts.audit))
    .use(webhookRoutes(plugin, parts.webhooks))
    .use(backupRoutes(plugin, parts.backups))
    .use(eventRoutes(plugin, parts.events, parts.streams));
  const all = api.use(descriptionRoutes(plugin, "Cairn context server", () => api, API_FACTS));
  for (const { method, path, hooks } of all.routes as DescribedRoute[])
    kinds.set(`${method} ${path}`, (hooks.detail as { "x-caller": CallerKind })["x-caller"]);
  return all;
}

/** `setup`: for a server without users, until there is one. */
export function createHandler(parts: Parts, log: Log, setup?: SetupOptions): Handle {
  const routes = createRoutes(parts, log);
  const pages = loadedOnce(async () => (await import("./server-console.ts")).serverConsole(parts, log));
  const setupPages =
    setup && loadedOnce(async () => (await import("./server-setup.ts")).serverSetup(parts, log, setup));
  const isSettingUp = () => setupPages !== undefined && parts.logins.isUnclaimed();
  const health = createApi({ log, prefix: "" }).use(healthRoutes(admission(parts.door), parts.health));
  return (request, exchange) => {
    if (isApi(exchange.path)) return counted(routes.fetch(request), exchange);
    if (exchange.path === "/health") return health.fetch(request);
    if (exchange.path === "/metrics") return metricsAnswer(parts, exchange);
    if (exchange.path === CONSOLE || exchange.path.startsWith(`${CONSOLE}/`)) return pages(request, exchange);
    if (exchange.path === SETUP || exchange.path.startsWith(`${SETUP}/`)) {
      if (isSettingUp()) return setupPages!(request, exchange);
      if (!parts.logins.isUnclaimed()) return setupOver(exchange);
    }
    if (exchange.path === "/" && exchange.method === "GET")
      return seeOther(exchange, isSettingUp() ? SETUP : CONSOLE);
    throw new AppError("not_found", `${exchange.path}: not found`);
  };
}

/** For a tab that is left over from the setup. */
async function setupOver(exchange: Exchange): Promise<Response> {
  exchange.route = SETUP;
  return (await import("./setup/setup-routes.ts")).setupOver(exchange);
}

/** Pages load with the first request for one. */
function loadedOnce(load: () => Promise<Handle>): Handle {
  let loaded: Promise<Handle> | undefined;
  return async (request, exchange) => (await (loaded ??= load()))(request, exchange);
}

function seeOther(exchange: Exchange, location: string): Response {
  exchange.route = "/";
  const headers = { ...SECURITY_HEADERS, Location: location, "X-Request-Id": exchange.id };
  return new Response(null, { status: 303, headers });
}

async function counted(answer: Response | Promise<Response>, exchange: Exchange): Promise<Response> {
  return withAllowance(await answer, exchange);
}
