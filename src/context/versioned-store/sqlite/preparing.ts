// Prepares operations before the transaction that writes them: hashes, data derived from documents, and encoded contents.

import { ownTurn } from "../../../kit/clock.ts";
import { sha256Hex } from "../../../kit/crypto.ts";
import type { Operation } from "../engine.ts";
import type { Prepared } from "./batch.ts";
import { encode, type Coded, type Stored } from "../coding.ts";
import { derivedOf } from "./documents.ts";

/** Hashing, compressing and reading the links of a smaller content takes less than a millisecond. */
const LARGE_BYTES = 16 * 1024;

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
      coded.set(one.hash, { ...(one.coded ?? (await encode(one.content))), size: one.content.length });
  return coded;
}

async function* inStretches<T extends Operation>(operations: readonly T[]): AsyncGenerator<T> {
  for (const operation of operations) {
    const isLarge = operation.op === "put" && operation.content.length >= LARGE_BYTES;
    if (isLarge || operations.length > 1) await ownTurn();
    yield operation;
  }
}

function hashed(operation: Operation): Prepared {
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
