// Events of workspace files.

import { Type } from "@sinclair/typebox";
import { closed, nullable } from "../../kit/schema.ts";

export const fileEvents = {
  "file.saved": closed({
    path: Type.String(),
    version: Type.String(),
    size: Type.Integer(),
    created: Type.Boolean(),
    user: Type.String(),
    agent: nullable(Type.String()),
  }),
};
export type FileEvents = typeof fileEvents;
