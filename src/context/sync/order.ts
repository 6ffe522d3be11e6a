// Reads the body of a push: its operations, and their contents into a spool, so that a large push takes memory only when its turn comes.

import { TypeCompiler, type TypeCheck } from "@sinclair/typebox/compiler";
import { Stretch, turnOfOthers } from "../../kit/clock.ts";
import { AppError } from "../../kit/error.ts";
import { sentenceOf } from "../../kit/schema-problem.ts";
import type { Spool } from "../../kit/disk/spool.ts";
import { BATCH_OPERATIONS_MAX } from "../versioned-store/schema.ts";
import { PushScanner, type ScannedOperation } from "./push-scanner.ts";
import { PUSH_BYTES_MAX, PushFrame, PushOperation } from "./schema.ts";

/** The bytes scanned at once: the network delivers chunks of up to a megabyte. */
const STEP_BYTES = 16 * 1024;

export interface Order {
  /** The head that the writer knew. */
  readonly base: string | undefined;
  readonly operations: readonly OrderedOperation[];
}

export interface OrderedOperation extends Pick<PushOperation, "op" | "path" | "expected"> {
  /** The position of its content in the spool; not validated yet. */
  readonly content: ScannedOperation["content"];
}

/** Reads the body of a push; contents go to `spool`. Raises `invalid`, `too_large`, and what the body and the disk raise. */
export async function readOrder(pieces: AsyncIterable<Uint8Array>, spool: Spool): Promise<Order> {
  const operations: OrderedOperation[] = [];
  let contents: Uint8Array[] = [];
  let decoded = 0;
  const scanner = new PushScanner({
    operation: (scanned, index) => void operations.push(operationOf(scanned, index)),
    content: (bytes) => {
      decoded += bytes.length;
      if (decoded > PUSH_BYTES_MAX)
        throw new AppError("too_large", `more than ${PUSH_BYTES_MAX} bytes of content at once`, {
          limit_bytes: PUSH_BYTES_MAX,
        });
      contents.push(bytes);
    },
  });
  const stretch = new Stretch();
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += STEP_BYTES) {
      scanner.feed(piece.subarray(at, at + STEP_BYTES));
      if (stretch.isOver()) await turnOfOthers();
    }
    if (contents.length > 0) await spool.write(Buffer.concat(contents));
    contents = [];
  }
  return { base: baseOf(scanner), operations };
}

/** Compiled on the first push. */
let operationCheck: TypeCheck<typeof PushOperation> | undefined;

function operationOf({ value, content }: ScannedOperation, index: number): OrderedOperation {
  if (index >= BATCH_OPERATIONS_MAX)
    throw new AppError("too_large", `ops: at most ${BATCH_OPERATIONS_MAX} at once`, {
      limit: BATCH_OPERATIONS_MAX,
    });
  const check = (operationCheck ??= TypeCompiler.Compile(PushOperation));
  if (!check.Check(value)) {
    const problem = check.Errors(value).First()!;
    throw new AppError("invalid", sentenceOf(problem, { whole: "body", place: ["ops", String(index)] }));
  }
  const { op, path, expected } = value;
  return { op, path, content, ...(expected === undefined ? {} : { expected }) };
}

function baseOf(scanner: PushScanner): string | undefined {
  const { frame, operations } = scanner.end();
  const check = TypeCompiler.Compile(PushFrame);
  if (!check.Check(frame)) {
    const problem = check.Errors(frame).First()!;
    throw new AppError("invalid", sentenceOf(problem, { whole: "body" }));
  }
  // A literal 0 from the sender is not an operation.
  if (frame.ops.length !== operations) throw new AppError("invalid", "ops: expected one list of operations");
  return frame.base;
}
