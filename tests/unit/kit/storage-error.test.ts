// Goal: a failure of storage says that nothing was changed only for work that is one change.

import { expect, test } from "bun:test";
import { AppError } from "../../../src/kit/error.ts";
import { inSteps, StorageError } from "../../../src/kit/storage-error.ts";

async function caught(error: Error): Promise<unknown> {
  try {
    return await inSteps(async () => {
      throw error;
    });
  } catch (raised) {
    return raised;
  }
}

test.each([
  ["full", "SQLITE_FULL", "the disk is full; finished steps are kept; free some space and try again"],
  ["failed", "EIO", "storage failed (EIO); finished steps are kept"],
] as const)("of several steps, those before %s are kept", async (reason, code, message) => {
  const error = new StorageError(reason, code);
  expect(error.message).toBe(message.replace("finished steps are kept", "nothing was changed"));
  const raised = await caught(error);
  expect(raised).toBeInstanceOf(StorageError);
  expect(raised).toMatchObject({ code: "unavailable", reason, message });
});

test("other failures of several steps stay as they are", async () => {
  const error = new AppError("stale", "changed");
  expect(await caught(error)).toBe(error);
  expect(await inSteps(async () => 7)).toBe(7);
});
