// The rights that a change of files needs. They are checked three times: before a body is read, before its content is judged, and inside the
// transaction, where the effect is known. A missing right raises `forbidden` or `not_found`, before any other error.

import { Stretch, turnOfOthers } from "../../kit/clock.ts";
import type { AppError } from "../../kit/error.ts";
import { hiddenProblem } from "../../kit/text/hidden-characters.ts";
import type { DocumentPath } from "../../kit/text/paths.ts";
import type { Capability } from "../access/schema.ts";
import type { Caller } from "../identity/caller.ts";
import type { OpenSpace } from "../spaces/open-space.ts";
import type { Effect, Operation } from "../versioned-store/engine.ts";
import { fileError, fileNotFound } from "../versioned-store/file-error.ts";

/** An operation without its content, which is all that rights depend on. */
export type Draft = Pick<Operation, "op" | "path">;

/** A caller with any of these may attempt the operation; which one it needs depends on the present state. */
const SOME_OF: Readonly<Record<Operation["op"], readonly Capability[]>> = {
  put: ["create", "update"],
  undelete: ["update"],
  delete: ["delete"],
  destroy: ["delete"],
};

const NEEDS: Readonly<Record<Effect["op"], (effect: Effect) => Capability>> = {
  write: ({ before }) => (before === null ? "create" : "update"),
  undelete: () => "update",
  delete: () => "delete",
  destroy: () => "delete",
};

/** Judges each operation against the present state. Raises `forbidden`, `not_found`, `unauthenticated`. */
export async function requireRights(
  caller: Caller,
  { name, engine }: OpenSpace,
  drafts: readonly Draft[],
): Promise<void> {
  const stretch = new Stretch();
  for (const { op, path } of drafts) {
    if (stretch.isOver()) await turnOfOthers();
    requireSome(caller, name, op, path);
    const may = (capability: Capability) => caller.rights.may(capability, name, path);
    if (op !== "put" || may("create") === may("update")) continue;
    const needed = (await engine.live(path)) ? "update" : "create";
    if (!may(needed)) throw refusal(caller, needed, path);
  }
}

/** Reads nothing, because the result must reveal nothing to a caller who cannot see the path. Raises as `requireRights`. */
export function requireSome(caller: Caller, space: string, op: Operation["op"], path: DocumentPath): void {
  const { rights } = caller;
  if (!rights.may("list", space, path) && !rights.may("read", space, path)) throw fileNotFound(path);
  if (op === "destroy" && !rights.has("lead", space))
    throw fileError("forbidden", path, "only a space-lead or an admin may destroy a version");
  const needed = SOME_OF[op];
  if (!needed.some((capability) => rights.may(capability, space, path)))
    throw refusal(caller, op === "put" ? "write" : needed[0]!, path);
}

const ASCII = /^[\0-\x7f]*$/;

/** Raises `forbidden`, `unauthenticated`. */
export function requireEffect(caller: Caller, space: string, effect: Effect): void {
  const needed = NEEDS[effect.op](effect);
  if (!caller.rights.may(needed, space, effect.path)) throw refusal(caller, needed, effect.path);
}

/** Raises `invalid` for a first version at a path that looks like another one. */
export function requireNewName({ op, path, after }: Effect): void {
  const problem = op === "write" && after?.version === 1 ? hiddenProblem(path) : undefined;
  if (problem !== undefined) throw fileError("invalid", path, problem);
}

export function refusal(caller: Caller, capability: Capability | "write", path: string): AppError {
  return fileError("forbidden", path, `${caller.name} (${caller.rights.role}) may not ${capability} it`);
}

/**
 * Reports whether the caller sees an entry, including one that cannot be a document. A directory is visible to a caller who may list its
 * content, and a character that normalizes to a slash cannot hide a name from the rules.
 */
export function seesEntry({ rights }: Caller, space: string, path: string): boolean {
  const isDirectory = path.endsWith("/");
  if (!rights.may("list", space, isDirectory ? path.slice(0, -1) : path)) return false;
  if (!isDirectory && ASCII.test(path)) return true;
  const plain = path.replace(/[^\0-\x7f]/g, (one) => (one.normalize("NFKC").includes("/") ? "_" : one));
  return (plain === path && !isDirectory) || rights.may("list", space, plain);
}
