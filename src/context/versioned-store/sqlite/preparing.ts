// What is computed of operations before the transaction that writes them: hashes, what is read out of documents, and contents in the form in
// which they are stored.

import { turnOfOthers } from "../../../kit/clock.ts";
import { sha256Hex } from "../../../kit/crypto.ts";
import type { Operation } from "../engine.ts";
import type { Prepared } from "./batch.ts";
import { encode, type Coded, type Stored } from "./coding.ts";
import { derivedOf } from "./documents.ts";

/** Hashed or compressed between two turns of others: a few milliseconds. */
const STRETCH_BYTES = 1024 * 1024;
/** A file costs as much as so many bytes, also an empty one. */
const FILE_AS_BYTES = 8 * 1024;

/** With pauses: hashing and compressing many files takes long. */
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

/** Of versions that are there: their content is stored, and only counted once more. */
export function keptAlready(prepared: readonly Prepared[]): ReadonlyMap<string, Coded> {
  return new Map(
    prepared.flatMap((one) =>
      one.op === "put" ? [[one.hash, { coding: "raw", content: one.content }]] : [],
    ),
  );
}
