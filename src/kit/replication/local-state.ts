// The state of a node's own files: which entry of which log they show. A node that leads marks them first, because its files run ahead of the
// log: after a crash they may hold changes that nobody was told of, and that another node does not have.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Type, type Static } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { replaceFile } from "../disk/replace-file.ts";
import { AppError } from "../error.ts";
import { removeDurably } from "./replica-files.ts";
import { closed } from "../schema.ts";

const NAME = "replication.json";

const LocalState = closed({
  cluster: Type.String(),
  /** The last entry in the files, and its SHA-256. */
  seq: Type.Integer({ minimum: 0 }),
  hash: Type.String(),
  /** The takeovers so far, for snapshots. */
  takeovers: Type.Array(Type.Integer()),
  /** `exact`: they show this entry. `ahead`: a leader wrote them and did not end well. `building`: a snapshot is being written. */
  files: Type.Union([Type.Literal("exact"), Type.Literal("ahead"), Type.Literal("building")]),
  /** The last term in which this node led, and the entry by which it took over. */
  lead: Type.Optional(closed({ term: Type.String(), seq: Type.Integer() })),
  /** The last entry of kind `beginning`: snapshots before it do not count. */
  beginning: Type.Optional(Type.Integer()),
});
export type LocalState = Static<typeof LocalState>;

export function stateFile(directory: string): string {
  return join(directory, NAME);
}

/** Undefined: the directory never belonged to a log. Raises `invalid`. */
export async function readState(directory: string): Promise<LocalState | undefined> {
  const path = stateFile(directory);
  if (!existsSync(path)) return undefined;
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (Value.Check(LocalState, value)) return value;
  } catch {}
  throw new AppError(
    "invalid",
    `${path} is damaged; use an empty data directory, and this node copies all data again`,
  );
}

export function writeState(directory: string, state: LocalState): Promise<void> {
  return replaceFile(stateFile(directory), JSON.stringify(state));
}

export function removeState(directory: string): Promise<void> {
  return removeDurably(stateFile(directory));
}

/** Called when a leader has ended well: its files show this entry again. Raises errors of the disk. */
export async function settleState(
  directory: string,
  { seq, hash }: Pick<LocalState, "seq" | "hash">,
): Promise<void> {
  const state = await readState(directory);
  if (state) await writeState(directory, { ...state, seq, hash, files: "exact" });
}
