// The routes of both programs as they are declared. Nothing is called, so their parts need nothing behind them.

import { API_FACTS as contextFacts, createRoutes as contextRoutes } from "../../../src/context/server.ts";
import type { Parts as ContextParts } from "../../../src/context/parts.ts";
import type { DescribedRoute } from "../../../src/kit/http/openapi.ts";
import type { Parts as ServiceParts } from "../../../src/service/parts.ts";
import { API_FACTS as serviceFacts, createRoutes as serviceRoutes } from "../../../src/service/server.ts";
import { silent } from "../silent.ts";

export interface DeclaredRoute extends DescribedRoute {
  compile(): { toString(): string };
}

const parts = new Proxy({}, { get: () => new Proxy(() => {}, { get: () => () => {} }) });
const all = {
  service: serviceRoutes(parts as ServiceParts, silent).routes as unknown as DeclaredRoute[],
  context: contextRoutes(parts as ContextParts, silent).routes as unknown as DeclaredRoute[],
};
// As in a running server: the framework closes schemas when it compiles a route.
for (const route of [...all.service, ...all.context]) route.compile();

export const declaredRoutes = {
  service: { routes: all.service, facts: serviceFacts },
  context: { routes: all.context, facts: contextFacts },
};

export const nameOf = ({ method, path }: DescribedRoute): string => `${method} ${path}`;

/** The callers that it declares. */
export const callerOf = ({ hooks }: DescribedRoute): string | undefined =>
  (hooks.detail as { "x-caller"?: string } | undefined)?.["x-caller"];
