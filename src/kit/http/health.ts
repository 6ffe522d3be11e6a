// The health route. Open to everyone, so it names kinds of problems and no paths.

import { Elysia, type AnyElysia } from "elysia";
import { healthStatus, HealthState, type Health } from "../health.ts";
import { shared } from "./admission.ts";

export function healthRoutes(admission: AnyElysia, health: Health) {
  return new Elysia({ normalize: false, tags: ["health"] }).use(shared(admission)).get(
    "/health",
    async ({ status }) => {
      const state = await health.state();
      return status(healthStatus(state), state);
    },
    { caller: "open", response: { 200: HealthState, 503: HealthState } },
  );
}
