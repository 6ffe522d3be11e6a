// Builds the console of a server from its parts: one line for each area of pages. Loaded with the first request for a page, because a server that
// serves programs only needs none of it.

import { AddressList } from "../kit/http/client-address.ts";
import type { Handle } from "../kit/http/serve.ts";
import type { Log } from "../kit/log.ts";
import { Browsing } from "./browsing/browsing.ts";
import { accessRoutes } from "./console/areas/access-routes.ts";
import { accountArea } from "./console/areas/account-routes.ts";
import { adminArea } from "./console/admin-only.ts";
import type { Area } from "./console/area.ts";
import { AUDIT } from "./console/audit-addresses.ts";
import { auditRoutes } from "./console/areas/audit-routes.ts";
import { backupRoutes } from "./console/areas/backup-routes.ts";
import { Console } from "./console/console.ts";
import { ConsoleCookies } from "./console/door.ts";
import { conflictsArea } from "./console/areas/conflict-routes.ts";
import { documentsArea } from "./console/areas/document-routes.ts";
import { foldersArea } from "./console/areas/folder-routes.ts";
import { historyArea } from "./console/areas/history-routes.ts";
import { freshnessArea } from "./console/areas/freshness-routes.ts";
import { graphArea } from "./console/areas/graph-routes.ts";
import { HOOKS } from "./console/hook-addresses.ts";
import { hookRoutes } from "./console/areas/hook-routes.ts";
import { overviewArea } from "./console/areas/overview-routes.ts";
import { servedSpaces } from "./console/served-spaces.ts";
import { ServerDoor } from "./console/server-door.ts";
import { Rendering } from "./console/rendering.ts";
import { sessionArea } from "./console/areas/session-routes.ts";
import { snapshotsArea } from "./console/areas/snapshot-routes.ts";
import { spaceSettingsArea } from "./console/areas/space-settings-routes.ts";
import { spacesArea } from "./console/areas/space-routes.ts";
import { BACKUPS } from "./console/pages/backups.tsx";
import { SETTINGS } from "./console/pages/settings.tsx";
import { settingsRoutes } from "./console/areas/settings-routes.ts";
import { Pictures } from "./graph/pictures.ts";
import { userRoutes } from "./console/areas/user-routes.ts";
import { ACCESS, USERS } from "./console/user-addresses.ts";
import type { Caller } from "./identity/caller.ts";
import type { Parts } from "./parts.ts";

export function serverConsole(parts: Parts, log: Log): Handle {
  const { sessions, limits, audit, config } = parts;
  const proxies = new AddressList("listen.trusted_proxies", config.trustedProxies);
  const cookies = new ConsoleCookies(
    () => parts.listener.port ?? config.listen.port,
    proxies,
    config.tls === undefined ? "http" : "https",
  );
  const door = new ServerDoor({ sessions, limits, cookies, audit });
  const pages = new Console({ areas: serverAreas(parts, cookies), door, log });
  return (request, exchange) => pages.handle(request, exchange);
}

/** Every page of a server. */
export function serverAreas(parts: Parts, cookies: ConsoleCookies): Area[] {
  const { account, limits, logins, audit, health, config, streams, deliveries, users, workers } = parts;
  const source = servedSpaces({ ...parts, browsing: new Browsing(parts.spaces) });
  const counters = () => ({
    "Open streams": streams.size,
    "Jobs in threads": workers.load,
    "Webhooks sent": deliveries.sent,
    "Webhooks failed": deliveries.failed,
    "Requests refused": limits.refused,
  });
  const isAlone = (admin: Caller) => users.page(admin, { limit: 2 }).length === 1;
  const facts = { health, audit, directory: config.directory, counters, isAlone };
  return [
    sessionArea(logins, cookies),
    overviewArea(source, facts),
    foldersArea(source),
    documentsArea(source, new Rendering(workers)),
    historyArea(source),
    conflictsArea(source),
    snapshotsArea(source),
    graphArea(source, new Pictures(workers)),
    freshnessArea(source, parts.clock),
    spaceSettingsArea({ spaces: parts.spaces, config }),
    spacesArea(source, parts.spaces),
    accountArea(account, logins),
    ...administration(parts),
  ];
}

/** In the order of the navigation. */
function administration(parts: Parts): Area[] {
  const { audit, users, rules, spaces, webhooks, backups, config, health, metrics, workers } = parts;
  const spaceNames = () => spaces.names();
  return [
    adminArea(audit, {
      places: [
        { label: "Users", path: USERS },
        { label: "Access", path: ACCESS },
      ],
      routes: [...userRoutes({ users, rules, spaceNames }), ...accessRoutes({ rules, spaceNames })],
    }),
    adminArea(audit, {
      places: [{ label: "Webhooks", path: HOOKS }],
      routes: hookRoutes({ webhooks, spaceNames }),
    }),
    adminArea(audit, {
      places: [{ label: "Audit", path: AUDIT }],
      routes: auditRoutes({ audit, spaceNames }),
    }),
    adminArea(audit, {
      places: [{ label: "Backups", path: BACKUPS }],
      routes: backupRoutes({ backups, directory: config.directory }),
    }),
    adminArea(audit, {
      places: [{ label: "Settings and health", path: SETTINGS }],
      routes: settingsRoutes({ config, health, metrics, workers }),
    }),
  ];
}
