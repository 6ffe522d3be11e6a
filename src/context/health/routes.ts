// Is the server able to work, and is what it keeps whole? Open to anybody, so it names kinds of problems and no paths.

import { Elysia } from "elysia";
import { healthStatus, HealthState, type Health } from "../../kit/health.ts";
import type { ActorPlugin } from "../people/plugin.ts";

export function healthRoutes(plugin: ActorPlugin, health: Health) {
  return new Elysia({ normalize: false, tags: ["health"] }).use(plugin).get(
    "/health",
    async ({ status }) => {
      const state = await health.state();
      return status(healthStatus(state), state);
    },
    { actor: "open", response: { 200: HealthState, 503: HealthState } },
  );
}
