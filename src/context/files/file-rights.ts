// Which rights a change of files needs. They are asked three times: before a body is read, before its content is judged, and inside the
// transaction, where it is known what the change does. A refusal for rights is `forbidden` or `not_found` and comes before every other.

import { type AppError, notFound } from "../../kit/error.ts";
import type { DocumentPath } from "../../kit/paths.ts";
import type { Capability } from "../access/schema.ts";
import type { Actor } from "../people/actor.ts";
import type { OpenSpace } from "../spaces/spaces.ts";
import type { Effect, Operation } from "./engine.ts";
import { fileError } from "./file-error.ts";

/** An operation before its content: all that rights are about. */
export type Draft = Pick<Operation, "op" | "path">;

/** Any of these lets an operation be looked at; which one it needs depends on what is there. */
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

/** Judges each operation by what is there now. Raises `forbidden`, `not_found`, `unauthenticated`. */
export async function requireRights(
  actor: Actor,
  { name, engine }: OpenSpace,
  drafts: readonly Draft[],
): Promise<void> {
  for (const { op, path } of drafts) {
    requireSome(actor, name, op, path);
    const may = (capability: Capability) => actor.rights.may(capability, name, path);
    if (op !== "put" || may("create") === may("update")) continue;
    const needed = (await engine.live(path)) ? "update" : "create";
    if (!may(needed)) throw refusal(actor, needed, path);
  }
}

/** Looks nothing up: the answer must tell nothing to a person who cannot see the path. Raises as `requireRights`. */
export function requireSome(actor: Actor, space: string, op: Operation["op"], path: DocumentPath): void {
  const { rights } = actor;
  if (!rights.may("list", space, path) && !rights.may("read", space, path)) throw notFound("file", path);
  if (op === "destroy" && !rights.has("lead", space))
    throw fileError("forbidden", path, "only a space-lead or an admin may destroy a version");
  const needed = SOME_OF[op];
  if (!needed.some((capability) => rights.may(capability, space, path)))
    throw refusal(actor, needed[0]!, path);
}

/** Raises `forbidden`, `unauthenticated`. */
export function requireEffect(actor: Actor, space: string, effect: Effect): void {
  const needed = NEEDS[effect.op](effect);
  if (!actor.rights.may(needed, space, effect.path)) throw refusal(actor, needed, effect.path);
}

export function refusal(actor: Actor, capability: Capability, path: string): AppError {
  return fileError("forbidden", path, `${actor.name} (${actor.rights.role}) may not ${capability} it`);
}
