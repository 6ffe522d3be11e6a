// The route map: every HTTP endpoint on one screen.

import { AppError, type ErrorCode } from "../kit/error.ts";
import type { Exchange } from "../kit/http/exchange.ts";
import type { Handle } from "../kit/http/serve.ts";
import { answerError } from "../kit/http/answer.ts";
import { bytesMaxOf, createApi } from "../kit/http/api.ts";
import { exchangeOf } from "../kit/http/exchange.ts";
import { admission } from "../kit/http/admission.ts";
import { descriptionRoutes } from "../kit/http/description.ts";
import { healthRoutes } from "../kit/http/health.ts";
import { isApi } from "../kit/http/guard.ts";
import type { ApiFacts } from "../kit/http/operation-facts.ts";
import { unknownQuery, wrongMethod } from "../kit/http/route-table.ts";
import type { DescribedRoute } from "../kit/http/openapi.ts";
import type { Log } from "../kit/log.ts";
import { approvalRoutes } from "./approvals/routes.ts";
import { attachmentRoutes, ATTACHMENTS_ROUTE } from "./attachments/routes.ts";
import { ATTACHMENT_BYTES_MAX } from "./attachments/schema.ts";
import { auditRoutes } from "./audit/routes.ts";
import { backupRoutes } from "./backup/routes.ts";
import { blueprintRoutes } from "./blueprint/routes.ts";
import { catalogRoutes } from "./catalog/routes.ts";
import { operationLimits } from "./operation-limits.ts";
import { operations } from "./operations.ts";
import { schemas } from "./schemas.ts";
import { egressRoutes } from "./egress/routes.ts";
import { FILE_ROUTE, fileRoutes } from "./files/routes.ts";
import { FILE_BYTES_MAX } from "./files/schema.ts";
import { GEAR_BODY_LIMITS, gearRoutes } from "./gears/routes.ts";
import type { CallerKind } from "./identity/admission.ts";
import { CONTEXT_FILE_ROUTE, memoryRoutes } from "./memory/routes.ts";
import { MEMORY_DOCUMENT_BYTES_MAX } from "./memory/schema.ts";
import { libraryRoutes } from "./library/routes.ts";
import { peopleRoutes } from "./people/routes.ts";
import { overviewRoutes } from "./overview/routes.ts";
import type { Parts } from "./parts.ts";
import { searchRoutes } from "./search/routes.ts";
import { snapshotRoutes } from "./snapshot/routes.ts";
import { terminalRoutes } from "./terminal/routes.ts";
import { IMPORT_ROUTE, transferRoutes } from "./transfer/routes.ts";
import { IMPORT_BYTES_MAX } from "./transfer/schema.ts";
import { turnRoutes } from "./turns/routes.ts";
import { UI_ROUTE, type ServeUi } from "./ui.ts";
import { usageRoutes } from "./usage/routes.ts";
import { isUnseen } from "./workspaces/access.ts";
import { workspaceRoutes } from "./workspaces/routes.ts";

const API = "/api/v1";
const UNREAD_BODIES = [
  { method: "PUT", route: FILE_ROUTE, bytesMax: FILE_BYTES_MAX },
  { method: "PUT", route: ATTACHMENTS_ROUTE, bytesMax: ATTACHMENT_BYTES_MAX },
  { method: "PUT", route: IMPORT_ROUTE, bytesMax: IMPORT_BYTES_MAX },
  { method: "PUT", route: CONTEXT_FILE_ROUTE, bytesMax: MEMORY_DOCUMENT_BYTES_MAX },
] as const;
export const API_FACTS: ApiFacts = {
  prefix: API,
  operations,
  limits: operationLimits,
  schemas,
  isCounted: false,
  bodyBytesMax: bytesMaxOf([...UNREAD_BODIES, ...GEAR_BODY_LIMITS]),
};
const OF_WORKSPACE = `${API}/workspaces/:id`;
const ID = /^[1-9][0-9]{0,14}$/;
const LOGIN_ROUTE = `${API}/login`;
const RIGHTS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unauthenticated", "forbidden", "rate_limited"]);
/** Logged at debug level only: health probes and files of the interface. */
export const QUIET_ROUTES: readonly string[] = ["/health", `${API}/health`, UI_ROUTE];

export function createRoutes(parts: Parts, log: Log) {
  const caller = admission(parts.door);
  const kinds = new Map<string, CallerKind>();
  // Check admission and access to the workspace in the path before reading a body.
  const door = (request: Request, route: string, { id = "" }: Readonly<Record<string, string>>) => {
    const kind = kinds.get(`${request.method} ${route}`);
    const who = kind === undefined ? undefined : parts.door.admit(kind, { request, route });
    if (who && route.startsWith(OF_WORKSPACE) && ID.test(id)) parts.access.workspace(who, Number(id));
  };
  const api = createApi({
    log,
    prefix: API,
    unreadBodies: UNREAD_BODIES,
    bodyLimits: GEAR_BODY_LIMITS,
    door,
    refused: (request, error) => noteRefusal(parts, request, error),
  })
    .use(healthRoutes(caller, parts.health))
    .use(peopleRoutes(caller, parts))
    .use(catalogRoutes(caller, parts.providers, parts.models))
    .use(workspaceRoutes(caller, parts.workspaces, (id) => parts.turns.stopWorkspace(id)))
    .use(overviewRoutes(caller, { ...parts, ready: () => parts.sandbox.decided() }))
    .use(transferRoutes(caller, parts.exports, parts.imports))
    .use(blueprintRoutes(caller, parts.blueprint))
    .use(snapshotRoutes(caller, parts.snapshots))
    .use(turnRoutes(caller, parts))
    .use(attachmentRoutes(caller, parts.attachments))
    .use(fileRoutes(caller, parts.files))
    .use(libraryRoutes(caller, parts.instructions, parts.proposals))
    .use(memoryRoutes(caller, parts.memoryAreas, parts.contextBindings, parts.memoryWrites))
    .use(gearRoutes(caller, parts, log))
    .use(approvalRoutes(caller, parts, () => parts.sandbox.decided()))
    .use(usageRoutes(caller, parts.usages, parts.usageByDay))
    .use(egressRoutes(caller, parts.grants, parts.searches))
    .use(terminalRoutes(caller, parts.terminals))
    .use(searchRoutes(caller, parts.search))
    .use(auditRoutes(caller, parts.audit))
    .use(backupRoutes(caller, parts.backups));
  const all = api.use(descriptionRoutes(caller, "Cairn service", () => api, API_FACTS));
  for (const { method, path, hooks } of all.routes as DescribedRoute[])
    kinds.set(`${method} ${path}`, (hooks.detail as { "x-caller": CallerKind })["x-caller"]);
  return all;
}

export type Routes = ReturnType<typeof createRoutes>;

/** Records refusals for lack of rights. The login rules record their own, because they know the user. */
function noteRefusal(parts: Parts, request: Request, error: AppError): void {
  if (!RIGHTS.has(error.code) && !isUnseen(error)) return;
  const exchange = exchangeOf(request);
  const { id: requestId, method, route } = exchange;
  if (route === LOGIN_ROUTE) return;
  const by = parts.door.callerOf(request) ?? { requestId, address: parts.addresses.of(exchange) };
  const { code } = error;
  parts.refusals.note({ action: "request.refused", code, target: `${method} ${route ?? "none"}`, by });
}

/** Sends API paths to the routes, answers `/health` and `/metrics`, and gives every other path to the interface. */
export function createHandler(parts: Parts, serveUi: ServeUi, log: Log): Handle {
  const routes = createRoutes(parts, log);
  const health = createApi({ log, prefix: "" }).use(healthRoutes(admission(parts.door), parts.health));
  return (request, exchange) => {
    if (isApi(exchange.path)) return routes.fetch(request);
    if (exchange.path === "/health") return health.fetch(request);
    if (exchange.path === "/metrics") return metricsAnswer(parts, exchange);
    exchange.route = UI_ROUTE;
    return serveUi(request, exchange).catch((error: unknown) => answerError(exchange.id, error, log));
  };
}

/** Answers programs on this machine; to any other client the path does not exist. */
function metricsAnswer({ metrics }: Parts, exchange: Exchange): Response {
  if (!exchange.isDirectLocal()) throw new AppError("not_found", `${exchange.path}: not found`);
  if (exchange.method !== "GET" && exchange.method !== "HEAD")
    throw wrongMethod(exchange.method, exchange.path, ["GET"]);
  if (exchange.query !== "") throw unknownQuery(exchange.query);
  exchange.route = exchange.path;
  return metrics.answer();
}
