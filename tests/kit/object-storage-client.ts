// Clients of the scripted object storage, and the errors that tests expect of them.

import { s3Storage } from "../../src/kit/object-storage/s3.ts";
import { refusal } from "./http/refusal.ts";
import type { ScriptedStorage } from "./object-storage.ts";

type Options = Partial<Parameters<typeof s3Storage>[0]>;

/** Long, so that a busy machine does not reach it; tests of limits set their own. */
export const PATIENT_MS = 30_000;

export function clientOf(far: ScriptedStorage, options: Options = {}) {
  const { endpoint, bucket, region, credentials } = far;
  return s3Storage({ endpoint, bucket, region, credentials, timeoutMs: PATIENT_MS, ...options });
}

/** Expects the whole error: its cause, and the problem in words. */
export function unusable(
  { host, bucket }: ScriptedStorage,
  attempt: Promise<unknown>,
  cause: { readonly reason: string; readonly status?: number },
  problem: string,
): Promise<void> {
  const sentence = `cannot use bucket ${bucket} at ${host}: ${problem}`;
  return refusal(attempt, "unavailable", sentence, { ...cause, host, bucket });
}

export const DENIED =
  "AccessDenied; check that the access key may list the bucket, and read, write and delete its objects";
export const BUSY = "the storage is busy or has a fault of its own; retry later";
export const LATE = "no answer within 1000 ms; check the network and the storage";
export const notS3 = (status: number) =>
  `the answer with status ${status} is not one of S3; check the endpoint`;

export const bytes = (text: string) => Buffer.from(text);
export const textOf = (found: Uint8Array | undefined) => found && Buffer.from(found).toString();

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
