// Memory: the state of the space, documents in it, and documents bound to the prompts of a workspace.

import { Type, type Static } from "@sinclair/typebox";
import {
  closed,
  Id,
  ID_LIMITS,
  judgedText,
  nullable,
  oneOf,
  PageQuery,
  Time,
  Flag,
} from "../../kit/schema.ts";
import { PATH_BYTES_MAX } from "../../kit/text/paths.ts";

/** Bounded, because each binding adds text to every prompt. */
export const CONTEXT_BINDINGS_PER_WORKSPACE_MAX = 500;
/** Of one document, as an agent or a person may write it here. */
export const MEMORY_DOCUMENT_BYTES_MAX = 256 * 1024;
export const MEMORY_WRITES_PER_TURN_MAX = 1_000;
export const SEARCH_CHARACTERS_MAX = 300;

/** Why there is no memory, for programs; `error` says it to people. */
const unavailableReasons = [
  "no_space",
  "cannot_open",
  "unreachable",
  "no_token",
  "token_refused",
  "space_missing",
] as const;
export type UnavailableReason = (typeof unavailableReasons)[number];

export const ContextStatus = closed({
  available: Type.Boolean(),
  error: Type.Optional(Type.String({ description: "present when unavailable; says what to do" })),
  kind: oneOf(["none", "folder", "server"] as const),
  reason: Type.Optional(oneOf(unavailableReasons)),
  space: Type.Optional(Type.String({ description: "the name of the space" })),
  place: Type.Optional(Type.String({ description: "a folder or an address; for admins only" })),
});
export type ContextStatus = Static<typeof ContextStatus>;

const DocumentPath = judgedText({ minLength: 1, maxLength: PATH_BYTES_MAX });
export const PathQuery = closed({ path: DocumentPath });
const Prefix = Type.Optional(judgedText({ maxLength: PATH_BYTES_MAX }));
export const PrefixQuery = closed({ path: Prefix, deleted: Flag });
export const VersionQuery = closed({ path: DocumentPath, version: Type.Optional(Id) });
export const TurnQuery = closed({ turn: Id });
export const VersionsQuery = closed({ path: DocumentPath, ...PageQuery.properties });
export const ContextSearchQuery = closed({
  q: judgedText({ minLength: 1, maxLength: SEARCH_CHARACTERS_MAX }),
  path: Prefix,
});

/** A document of the space. */
export const ContextFile = closed({
  path: Type.String(),
  version: nullable(Id),
  size: Type.Integer({ description: "bytes" }),
  hash: Type.String({ description: "SHA-256, hex" }),
  updated_at: Time,
  author: Type.String(),
  state: Type.String({ description: "live, modified, missing, untracked, refused, deleted" }),
});
export type ContextFile = Static<typeof ContextFile>;

export const ContextDocument = closed({
  path: Type.String(),
  version: nullable(Id),
  state: Type.String(),
  text: Type.String(),
});
export type ContextDocument = Static<typeof ContextDocument>;

/** A version that an agent wrote. */
export const MemoryWrite = closed({
  call_id: Type.String({ description: "the call of memory_write" }),
  turn_id: Id,
  agent_id: Id,
  path: Type.String({ description: "in the space" }),
  version: Id,
  replaced: nullable(Id),
});
export type MemoryWrite = Static<typeof MemoryWrite>;

export const SavedDocument = closed({ path: Type.String(), version: Id, hash: Type.String() });
export type SavedDocument = Static<typeof SavedDocument>;

export const DeletedDocument = closed({
  path: Type.String(),
  version: Type.Integer({ description: "the version that was live" }),
});
export type DeletedDocument = Static<typeof DeletedDocument>;

const DocumentVersion = closed({
  version: Id,
  created_at: Time,
  author: Type.String(),
  message: nullable(Type.String({ description: "what the author said about it, such as the turn" })),
  size: Type.Integer({ description: "bytes" }),
  hash: Type.String({ description: "SHA-256, hex" }),
  content: Type.Boolean({ description: "false: destroyed on request, or removed by retention" }),
});
export type DocumentVersion = Static<typeof DocumentVersion>;

export const DocumentHistory = closed({
  path: Type.String(),
  current: nullable(Type.Integer({ description: "null: deleted, or never recorded" })),
  versions: Type.Array(DocumentVersion, { description: "the newest first" }),
  more: Type.Boolean({ description: "there are earlier ones; ask with `before`" }),
});
export type DocumentHistory = Static<typeof DocumentHistory>;

/** In the memory of a workspace, whose agents wrote most versions. */
export const MemoryHistory = closed({
  ...DocumentHistory.properties,
  versions: Type.Array(
    closed({
      ...DocumentVersion.properties,
      turn_id: nullable(Id),
      agent_id: nullable(
        Type.Integer({ minimum: 1, description: "null: no agent of this workspace wrote it" }),
      ),
    }),
  ),
});
export type MemoryHistory = Static<typeof MemoryHistory>;

/** Restores one version as a new one; without `version`, the last one of a deleted document. */
export const RestoreDocument = closed({
  path: DocumentPath,
  version: Type.Optional(Id),
  expected_version: Type.Optional(
    nullable(Type.Integer({ ...ID_LIMITS, description: "the live version; null: the document is deleted" })),
  ),
});
export type RestoreDocument = Static<typeof RestoreDocument>;

export const ContextHit = closed({
  path: Type.String(),
  version: nullable(Id),
  updated_at: Time,
  author: Type.String(),
  words: Type.Array(Type.String(), { description: "the words of the query that the document has" }),
  lines: Type.Array(
    closed({
      line: Type.Integer(),
      text: Type.String({ description: "the line, or the part of a long one around its first match" }),
      ranges: Type.Array(closed({ start: Type.Integer(), end: Type.Integer() }), {
        description: "the matches within `text`, in UTF-16 units",
      }),
    }),
  ),
});
export type ContextHit = Static<typeof ContextHit>;

export const ContextSearch = closed({
  results: Type.Array(ContextHit, { description: "the best first: how well it matches, then how new it is" }),
  more: Type.Boolean({ description: "more documents match" }),
});
export type ContextSearch = Static<typeof ContextSearch>;

export const ContextBinding = closed({
  id: Id,
  workspace_id: Id,
  path: Type.String(),
  agent_id: nullable(Id),
  created_at: Time,
});
export type ContextBinding = Static<typeof ContextBinding>;

export const BindContext = closed({ path: DocumentPath, agent_id: Type.Optional(nullable(Id)) });
export type BindContext = Static<typeof BindContext>;
