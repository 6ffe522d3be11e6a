// Goal: a batch may hold exactly what the limits say, and is refused beyond them before anything is read.

import { test } from "bun:test";
import { BATCH_OPERATIONS_MAX, FILE_BYTES_CEILING } from "../../../src/context/versioned-store/schema.ts";
import { sizeText } from "../../../src/kit/text/amounts.ts";
import { checkShape } from "../../../src/context/versioned-store/sqlite/batch.ts";
import { put } from "../../kit/store/file-engine.ts";
import { refusal } from "../../kit/http/refusal.ts";

const none = new Uint8Array();
/** Only its length is looked at. */
const ofSize = (length: number) => ({ length }) as Uint8Array;
const many = (count: number) => Array.from({ length: count }, (_, index) => put(`${index}.md`, none));

test("the largest file and the largest batch are allowed, and nothing larger", async () => {
  checkShape([put("a.bin", ofSize(FILE_BYTES_CEILING))]);
  checkShape(many(BATCH_OPERATIONS_MAX));
  await refusal(
    () => checkShape([put("a.bin", ofSize(FILE_BYTES_CEILING + 1))]),
    "too_large",
    `a.bin: larger than ${sizeText(FILE_BYTES_CEILING)}`,
    { path: "a.bin", limit_bytes: FILE_BYTES_CEILING },
  );
  await refusal(
    () => checkShape(many(BATCH_OPERATIONS_MAX + 1)),
    "too_large",
    `at most ${BATCH_OPERATIONS_MAX} operations at once`,
    { limit: BATCH_OPERATIONS_MAX },
  );
});
