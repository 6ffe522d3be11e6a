// The API's description (OpenAPI), made from the same schemas that validate, when it is first asked for.

import { Elysia, type AnyElysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { version } from "../../kit/version.ts";
import type { CallerPlugin } from "../people/plugin.ts";
import { openApi, type DescribedRoute } from "./openapi.ts";

export function descriptionRoutes(plugin: CallerPlugin, api: () => AnyElysia) {
  let description: object | undefined;
  const described = () => (description ??= openApi(api().routes as DescribedRoute[], version.version));
  return new Elysia({ name: "description", normalize: false, tags: ["description"] })
    .use(plugin)
    .get("/openapi.json", () => described(), {
      caller: "any",
      response: Type.Object({}, { additionalProperties: true, description: "an OpenAPI 3.1 document" }),
    });
}
