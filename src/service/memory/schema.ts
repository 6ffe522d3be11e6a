// Memory: the state of the space, documents in it, and documents bound to the prompts of a workspace.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, judgedText, nullable, oneOf, Time } from "../../kit/schema.ts";

/** Bounded, because each binding adds text to every prompt. */
export const CONTEXT_BINDINGS_PER_WORKSPACE_MAX = 500;
/** Of one document, as an agent or a person may write it here. */
export const MEMORY_DOCUMENT_BYTES_MAX = 256 * 1024;
const PATH_BYTES_MAX = 1_024;

export const ContextStatus = closed({
  available: Type.Boolean(),
  error: Type.Optional(Type.String({ description: "present when unavailable; says what to do" })),
  kind: oneOf(["none", "folder", "server"] as const),
  space: Type.Optional(Type.String({ description: "the name of the space" })),
  place: Type.Optional(Type.String({ description: "a folder or an address; for admins only" })),
});
export type ContextStatus = Static<typeof ContextStatus>;

const DocumentPath = judgedText({ minLength: 1, maxLength: PATH_BYTES_MAX });
export const PathQuery = closed({ path: DocumentPath });
export const PrefixQuery = closed({ path: Type.Optional(judgedText({ maxLength: PATH_BYTES_MAX })) });

/** A document of the space. */
export const ContextFile = closed({
  path: Type.String(),
  version: nullable(Id),
  size: Type.Integer({ description: "bytes" }),
  hash: Type.String({ description: "SHA-256, hex" }),
  updated_at: Time,
  author: Type.String(),
  state: Type.String({ description: "live, modified, missing, untracked, refused" }),
});
export type ContextFile = Static<typeof ContextFile>;

export const ContextDocument = closed({
  path: Type.String(),
  version: nullable(Id),
  state: Type.String(),
  text: Type.String(),
});
export type ContextDocument = Static<typeof ContextDocument>;

export const SavedDocument = closed({ path: Type.String(), version: Id, hash: Type.String() });
export type SavedDocument = Static<typeof SavedDocument>;

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
