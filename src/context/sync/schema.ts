// What travels between a server and a copy of a space: whole sets of changes up, an archive of files down.

import { Type, type Static } from "@sinclair/typebox";
import { PATH_BYTES_MAX } from "../../kit/paths.ts";
import { closed, nullable, oneOf } from "../../kit/schema.ts";
import { BATCH_OPERATIONS_MAX, Head } from "../versioned-store/schema.ts";

/** Contents of one push. */
export const PUSH_BYTES_MAX = 64 * 1024 * 1024;
export const PULL_PATHS_MAX = 50_000;
/** Of one answer; a space that is larger is asked for in parts. */
export const PULL_BYTES_MAX = 256 * 1024 * 1024;

export type PushOperation = Static<typeof PushOperation>;
export const PushOperation = closed({
  op: oneOf(["put", "delete"] as const),
  path: Type.String({ maxLength: PATH_BYTES_MAX }),
  /** Of a put. */
  content_b64: Type.Optional(Type.String({ contentEncoding: "base64" })),
  /** The version that the writer knew; null: it was not there. Absent: whatever is there. */
  expected: Type.Optional(nullable(Type.Integer({ minimum: 1 }))),
});

export const Push = closed({
  /** The head that the writer had seen, if any: another epoch is refused. */
  base: Type.Optional(Head),
  ops: Type.Array(PushOperation, { maxItems: BATCH_OPERATIONS_MAX }),
});
/** All of a push but its operations, which are taken out while it is read: a 0 stands for each. */
export const PushFrame = closed({ base: Push.properties.base, ops: Type.Array(Type.Literal(0)) });

export const Pushed = closed({
  head: Head,
  /** What is live now of the paths that changed; null: deleted. */
  versions: Type.Array(
    closed({ path: Type.String(), version: nullable(Type.Integer()), hash: nullable(Type.String()) }),
  ),
});
export type Pushed = Static<typeof Pushed>;

export const Pull = closed({
  paths: Type.Array(Type.String({ maxLength: PATH_BYTES_MAX }), { maxItems: PULL_PATHS_MAX }),
});
