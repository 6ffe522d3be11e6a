// The API's description (OpenAPI), made from the same schemas that validate. The generator is loaded when first asked for.

import { Elysia, type AnyElysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { version } from "../../kit/version.ts";
import type { CallerPlugin } from "../people/plugin.ts";

export function descriptionRoutes(plugin: CallerPlugin, api: () => AnyElysia) {
  let description: Promise<object> | undefined;
  return new Elysia({ name: "description", normalize: false, tags: ["description"] })
    .use(plugin)
    .get("/openapi.json", async () => await (description ??= describe(api())), { caller: "any", response: Type.Any() });
}

async function describe(api: AnyElysia): Promise<object> {
  const { toOpenAPISchema } = await import("@elysiajs/openapi");
  const { paths, components } = toOpenAPISchema(api);
  return {
    openapi: "3.1.0",
    info: { title: "Cairn service", version: version.version },
    paths,
    components: { ...components, securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
    security: [{ bearer: [] }],
  };
}
