// Goal: a batch may hold exactly what the limits say, and is refused beyond them before anything is read.

import { expect, test } from "bun:test";
import type { AppError } from "../../../src/kit/error.ts";
import type { Operation } from "../../../src/context/versioned-store/engine.ts";
import { BATCH_OPERATIONS_MAX, FILE_BYTES_CEILING } from "../../../src/context/versioned-store/schema.ts";
import { checkShape } from "../../../src/context/versioned-store/sqlite/batch.ts";
import { put } from "../../kit/file-engine.ts";

const none = new Uint8Array();
/** Only its length is looked at. */
const ofSize = (length: number) => ({ length }) as Uint8Array;
const many = (count: number) => Array.from({ length: count }, (_, index) => put(`${index}.md`, none));

const refused = (operations: readonly Operation[]) => {
  try {
    checkShape(operations);
  } catch (error) {
    return (error as AppError).details;
  }
  return undefined;
};

test("the largest file and the largest batch are allowed, and nothing larger", () => {
  expect(refused([put("a.bin", ofSize(FILE_BYTES_CEILING))])).toBeUndefined();
  expect(refused([put("a.bin", ofSize(FILE_BYTES_CEILING + 1))])).toEqual({
    path: "a.bin",
    limit_bytes: FILE_BYTES_CEILING,
  });
  expect(refused(many(BATCH_OPERATIONS_MAX))).toBeUndefined();
  expect(refused(many(BATCH_OPERATIONS_MAX + 1))).toEqual({ limit: BATCH_OPERATIONS_MAX });
});
