// The messages between a server and a client's copy of a space: sets of changes up, an archive of files down.

import { Type, type Static } from "@sinclair/typebox";
import { PATH_BYTES_MAX } from "../../kit/text/paths.ts";
import { closed, ID_LIMITS, nullable, oneOf } from "../../kit/schema.ts";
import { BATCH_OPERATIONS_MAX, Head } from "../versioned-store/schema.ts";

/** The most bytes of content in a push. */
export const PUSH_BYTES_MAX = 64 * 1024 * 1024;
const PULL_PATHS_MAX = 50_000;
/** The most bytes of a pull; clients request a larger space in parts. */
export const PULL_BYTES_MAX = 256 * 1024 * 1024;

export type PushOperation = Static<typeof PushOperation>;
export const PushOperation = closed({
  op: oneOf(["put", "delete"] as const),
  path: Type.String({ maxLength: PATH_BYTES_MAX }),
  /** The content of a put. */
  content_b64: Type.Optional(Type.String({ contentEncoding: "base64" })),
  /** The version that the writer knew; null: no such file. Absent: no precondition. */
  expected: Type.Optional(nullable(Type.Integer(ID_LIMITS))),
});

export const Push = closed({
  /** The head that the writer knew, if any. A different epoch is refused. */
  base: Type.Optional(Head),
  ops: Type.Array(PushOperation, { maxItems: BATCH_OPERATIONS_MAX }),
});
/** A push without its operations, which the reader replaces by 0. */
export const PushFrame = closed({ base: Push.properties.base, ops: Type.Array(Type.Literal(0)) });

export const Pushed = closed({
  head: Head,
  /** The live versions of the changed paths; null: deleted. */
  versions: Type.Array(
    closed({ path: Type.String(), version: nullable(Type.Integer()), hash: nullable(Type.String()) }),
  ),
});
export type Pushed = Static<typeof Pushed>;

export const Pull = closed({
  paths: Type.Array(Type.String({ maxLength: PATH_BYTES_MAX }), { maxItems: PULL_PATHS_MAX }),
  /** `archive` (default): tar, compressed with zstd. `contents`: as the store holds them, which costs both sides less (contents.ts). */
  form: Type.Optional(oneOf(["archive", "contents"] as const)),
});
export type Pull = Static<typeof Pull>;
