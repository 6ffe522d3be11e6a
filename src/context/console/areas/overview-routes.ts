// The overview: health, counts, disk, and the latest changes of the spaces that the caller sees. Its counters are also a part of their own, which the
// script of the page asks for while the page is visible.

import { h } from "preact";
import { statfs } from "node:fs/promises";
import type { Audit } from "../../audit/audit.ts";
import type { Health } from "../../../kit/health.ts";
import type { Caller } from "../../identity/caller.ts";
import { page, part, type Area } from "../area.ts";
import { Counters, OverviewBody, type Activity, type Figures } from "../pages/overview.tsx";
import type { SpaceSource } from "../space-source.ts";

/** Spaces whose latest changes are looked at, and changes of each. */
const SPACES_LOOKED_MAX = 20;
const CHANGES_LOOKED = 20;
const ACTIVITY_SHOWN = 15;
const AUDIT_SHOWN = 8;

/** The facts that a server has besides its spaces. */
interface ServerFacts {
  readonly health: Pick<Health, "state">;
  readonly audit: Pick<Audit, "list">;
  /** Of the data directory. */
  readonly directory: string;
  /** Reports whether there is one user only. */
  readonly isAlone: (admin: Caller) => boolean;
  /** Labelled counts, for admins. */
  readonly counters: () => Readonly<Record<string, number>>;
}

/** `server` undefined: a space on this machine. */
export function overviewArea(source: SpaceSource, server?: ServerFacts): Area {
  return {
    places: [{ label: "Overview", path: "/console", group: "Work" }],
    routes: [
      {
        method: "GET",
        path: "/console",
        answer: async ({ visit }) => {
          const { caller } = visit;
          const isAdmin = server !== undefined && caller.rights.role === "admin";
          const [figures, activity, records] = await Promise.all([
            figuresFor(caller, source, server),
            activityFor(caller, source),
            isAdmin ? server.audit.list(caller, { limit: AUDIT_SHOWN }) : undefined,
          ]);
          const isAlone = isAdmin && server.isAlone(caller);
          return page("Overview", h(OverviewBody, { figures, activity, records, isAlone }));
        },
      },
      {
        method: "GET",
        path: "/console/live",
        answer: async ({ visit }) =>
          part(h(Counters, { figures: await figuresFor(visit.caller, source, server) })),
      },
    ],
  };
}

async function figuresFor(
  caller: Caller,
  source: SpaceSource,
  server: ServerFacts | undefined,
): Promise<Figures> {
  const { spaces, unopened } = await source.list(caller);
  const sum = (of: (space: (typeof spaces)[number]) => number) =>
    spaces.reduce((total, space) => total + of(space), 0);
  const isAdmin = caller.rights.role === "admin";
  return {
    spaces: spaces.length,
    unopened,
    files: sum(({ files }) => files),
    bytes: sum(({ bytes }) => bytes),
    versions: sum(({ versions }) => versions),
    health: server && (await server.health.state()),
    disk: server && isAdmin ? await diskOf(server.directory) : undefined,
    counters: server && isAdmin ? server.counters() : {},
  };
}

async function diskOf(directory: string): Promise<Figures["disk"]> {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { free: bavail * bsize, total: blocks * bsize };
}

async function activityFor(caller: Caller, source: SpaceSource): Promise<Activity[]> {
  const spaces = (await source.list(caller)).spaces.slice(0, SPACES_LOOKED_MAX);
  const changes: Activity[] = [];
  for (const { name } of spaces) {
    const found = await source.use(caller, name, (space) => space.recent(CHANGES_LOOKED));
    changes.push(...found.map((one) => ({ ...one, space: name })));
  }
  return changes.toSorted((a, b) => b.time - a.time).slice(0, ACTIVITY_SHOWN);
}
