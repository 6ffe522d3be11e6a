// Records that a person has checked a document: sets `last-validated` in its front matter. Nothing that someone else writes meanwhile is lost.

import { utcDay } from "../../kit/clock.ts";
import { AppError } from "../../kit/error.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import { withValidation, type Validation } from "../freshness/validating.ts";
import { isDocumentPath } from "../versioned-store/document-files.ts";
import { fileError } from "../versioned-store/file-error.ts";
import type { ReadFile, SpaceDoor } from "./door.ts";
import { versionOfEdit } from "./edited-write.ts";

/** Each edit by hand between reading and writing needs another round. */
const ROUNDS_MAX = 3;

interface Validated {
  readonly path: string;
  readonly last_validated: string;
  /** Null: an edit by hand without a version. */
  readonly version: number | null;
  /** False: it had the date already. */
  readonly changed: boolean;
}

type Problem = Extract<Validation, { problem: unknown }>["problem"];

const PROBLEMS: Readonly<Record<Problem, string>> = {
  no_end: "the front matter has no closing ---; add it first",
  too_complex: "the front matter is too complex to read; simplify it first",
  not_yaml: "the front matter is not valid YAML; correct it first",
  doubled_key: "the front matter has a key twice; delete one of them first",
  no_fields: "the front matter has no fields; correct it first",
  not_editable: "cannot set last-validated without changing more of this front matter; set it by hand",
};

/**
 * Records an edit by hand first, as every write does. Raises `invalid` for front matter that it cannot edit, `not_text`, `stale` if another writer
 * is faster, and what reading and writing raise.
 */
export async function validate(space: SpaceDoor, path: string, now: number): Promise<Validated> {
  if (!isDocumentPath(path))
    throw fileError("invalid", path, "only .md, .markdown, .mdx and .txt files have front matter");
  const last_validated = utcDay(now);
  let read = await space.read(path);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const { text, changed } = validated(read, last_validated);
    if (!changed) return { path: read.path, last_validated, version: read.version, changed };
    const expected = read.version ?? (await versionOfEdit(space, path));
    const { version } = await space.write(path, new TextEncoder().encode(text), expected);
    // The edit by hand became the version before this one. If it went on after it was read, it has to be read again.
    const before = read.version === null ? await space.read(path, version - 1) : read;
    if (Buffer.from(before.bytes).equals(read.bytes))
      return { path: read.path, last_validated, version, changed };
    read = { ...before, version };
  }
  throw new AppError("conflict", `${path}: someone keeps editing it; try again`);
}

function validated({ path, bytes }: ReadFile, date: string): Extract<Validation, { text: string }> {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw fileError("not_text", path, "not UTF-8 text");
  const validation = withValidation(text, date);
  if ("problem" in validation) throw fileError("invalid", path, PROBLEMS[validation.problem]);
  return validation;
}
