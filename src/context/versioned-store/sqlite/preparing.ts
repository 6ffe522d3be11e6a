// Prepares operations before the transaction that writes them: hashes, data derived from documents, and encoded contents.

import { turnOfOthers } from "../../../kit/clock.ts";
import { sha256Hex } from "../../../kit/crypto.ts";
import type { Operation } from "../engine.ts";
import type { Prepared } from "./batch.ts";
import { encode, type Coded, type Stored } from "./coding.ts";
import { derivedOf } from "./documents.ts";

/** The bytes hashed or compressed between two yields: a few milliseconds of work. */
const STRETCH_BYTES = 1024 * 1024;
/** The fixed cost of a file, expressed in bytes. */
const FILE_AS_BYTES = 8 * 1024;

/** Yields between files, because hashing many of them takes long. */
export async function prepare(operations: readonly Operation[]): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for await (const operation of inStretches(operations)) prepared.push(hashed(operation));
  return prepared;
}

export async function codedOf(prepared: readonly Prepared[]): Promise<ReadonlyMap<string, Stored>> {
  const coded = new Map<string, Stored>();
  for await (const one of inStretches(prepared))
    if (one.op === "put" && !coded.has(one.hash))
      coded.set(one.hash, { ...(await encode(one.content)), size: one.content.length });
  return coded;
}

async function* inStretches<T extends Operation>(operations: readonly T[]): AsyncGenerator<T> {
  let bytes = 0;
  for (const operation of operations) {
    yield operation;
    bytes += FILE_AS_BYTES + (operation.op === "put" ? operation.content.length : 0);
    if (bytes < STRETCH_BYTES) continue;
    await turnOfOthers();
    bytes = 0;
  }
}

export function hashed(operation: Operation): Prepared {
  if (operation.op !== "put") return operation;
  const { path, content } = operation;
  return { ...operation, hash: sha256Hex(content), derived: derivedOf(path, content) };
}

/** For contents that are stored already, so that only their use count increases. */
export function keptAlready(prepared: readonly Prepared[]): ReadonlyMap<string, Coded> {
  return new Map(
    prepared.flatMap((one) =>
      one.op === "put" ? [[one.hash, { coding: "raw", content: one.content }]] : [],
    ),
  );
}
