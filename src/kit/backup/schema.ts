// Schemas that the backups of both programs share: the facts about a file in an archive, and the state of a backup.

import { Type, type Static, type TSchema } from "@sinclair/typebox";
import { closed, Id, nullable, oneOf } from "../schema.ts";

export const Count = Type.Integer({ minimum: 0 });
export const Sha256 = Type.String({ pattern: "^[0-9a-f]{64}$", description: "SHA-256, hex" });

export const Member = closed({ name: Type.String(), size: Count, sha256: Sha256 });
export type Member = Static<typeof Member>;

const backupStates = ["running", "done", "failed", "cancelled"] as const;

/** `result`: set when done; `error`: the API error, set when failed or cancelled. */
export function backupWith<R extends TSchema>(result: R) {
  return closed({
    id: Id,
    state: oneOf(backupStates),
    file: Type.String(),
    /** Bytes to read. */
    bytes_done: Count,
    bytes_total: Count,
    result: nullable(result),
    error: nullable(closed({ code: Type.String(), message: Type.String() })),
  });
}
