// The API description (OpenAPI), built from the validating schemas at the first request for it.

import { Type } from "@sinclair/typebox";
import { Elysia, type AnyElysia } from "elysia";
import { version } from "../version.ts";
import { shared } from "./admission.ts";
import { openApi, type DescribedRoute } from "./openapi.ts";
import type { ApiFacts } from "./operation-facts.ts";

export function descriptionRoutes(
  admission: AnyElysia,
  title: string,
  api: () => AnyElysia,
  facts: ApiFacts,
) {
  let description: object | undefined;
  const described = () =>
    (description ??= openApi(title, version.version, api().routes as DescribedRoute[], facts));
  return new Elysia({ name: "description", normalize: false, tags: ["description"] })
    .use(shared(admission))
    .get("/openapi.json", () => described(), {
      caller: "any",
      response: Type.Object({}, { additionalProperties: true, description: "an OpenAPI 3.1 document" }),
    });
}
