// Pages for admins only: hidden from the navigation of everyone else, and refused, with a record, if somebody tries.

import type { Audit } from "../audit/audit.ts";
import { isAdmin, requireAdmin } from "../identity/caller.ts";
import type { Area, PageRoute } from "./area.ts";
import type { Place } from "./visit.ts";

interface AdminArea {
  readonly places: readonly Omit<Place, "group" | "isShown">[];
  readonly routes: readonly PageRoute[];
}

export function adminArea(audit: Pick<Audit, "record">, { places, routes }: AdminArea): Area {
  return {
    places: places.map((place) => ({ ...place, group: "Administration", isShown: isAdmin })),
    routes: routes.map((route) => ({
      ...route,
      answer: (asked) => {
        try {
          requireAdmin(asked.visit.caller);
        } catch (error) {
          const target = `${route.method} ${route.path}`;
          audit.record(asked.visit.caller, { action: "request.refused", target }, error);
          throw error;
        }
        return route.answer(asked);
      },
    })),
  };
}
