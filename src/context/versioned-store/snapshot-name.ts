// The names of snapshots, as people give them.

import { fieldError } from "../../kit/error.ts";
import { visibleInLine } from "../../kit/text/visible.ts";
import { SNAPSHOT_NAME_CHARACTERS_MAX } from "./schema.ts";

/** Without white space around it. Raises `invalid`. */
export function snapshotName(text: string): string {
  const name = text.trim();
  if (name === "") throw fieldError("invalid", "name", "must not be empty");
  if (name.length > SNAPSHOT_NAME_CHARACTERS_MAX)
    throw fieldError("invalid", "name", `at most ${SNAPSHOT_NAME_CHARACTERS_MAX} characters`);
  if (visibleInLine(name) !== name)
    throw fieldError("invalid", "name", "must not contain control or invisible characters");
  return name;
}
