// Export and import of a workspace as the API shows them, and their limits.

import { Type, type Static } from "@sinclair/typebox";
import { closed, GivenName, Id, Flag } from "../../kit/schema.ts";
import { Workspace } from "../workspaces/schema.ts";

/** Of a file to import, and so of an export. */
export const IMPORT_BYTES_MAX = 256 * 1024 * 1024;
/** Of the workspace files in an export together. */
export const EXPORTED_FILES_BYTES_MAX = 64 * 1024 * 1024;
export const EXPORTED_FILES_MAX = 5_000;
/** Of the gears in an export together; the rest is left out. */
export const EXPORTED_GEARS_BYTES_MAX = 16 * 1024 * 1024;
export const EXPORTED_GEARS_MAX = 200;
export const IMPORTS_AT_ONCE_MAX = 2;
export const EXPORTS_AT_ONCE_MAX = 8;

export const WorkspaceExportQuery = closed({
  /** `0` and `false` leave out the workspace's files. */
  files: Flag,
});

export const ImportQuery = closed({
  /** Default: the name in the file, or a free one like it. */
  name: Type.Optional(GivenName),
  models: Type.Optional(
    Type.String({
      description: "models of this server for those of the file, by their numbers there: 1:14,2:15",
    }),
  ),
});
export type ImportQuery = Static<typeof ImportQuery>;

export const Imported = closed({
  workspace: Workspace,
  gears: Type.Array(
    closed({
      id: Id,
      /** Its name in the file. */
      name: Type.String(),
      /** Its name here. */
      as: Type.String(),
      /** A new gear is pending; a gear with the same content that was here already keeps its state. */
      created: Type.Boolean(),
    }),
  ),
  instructions: Type.Array(
    closed({ id: Id, name: Type.String(), as: Type.String(), created: Type.Boolean() }),
  ),
  /** Parts of the workspace that the file does not hold, or that this server refuses. */
  left_out: Type.Array(closed({ kind: Type.String(), name: Type.String(), reason: Type.String() })),
});
export type Imported = Static<typeof Imported>;
