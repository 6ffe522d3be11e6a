// A file engine on the bench: opened on an empty space, with a clock that stands still, and the few words that its tests need.

import { adoptTree } from "../../../src/context/files/adoption.ts";
import type {
  Applied,
  Batch,
  Expected,
  FileEngine,
  Operation,
} from "../../../src/context/versioned-store/engine.ts";
import { openSqliteEngine, type SqliteEngine } from "../../../src/context/versioned-store/sqlite/engine.ts";
import { BATCH_OPERATIONS_MAX } from "../../../src/context/versioned-store/schema.ts";
import { parseDocumentPath, type DocumentPath } from "../../../src/kit/text/paths.ts";
import { temporaryFolder } from "../folder.ts";
import { silent } from "../silent.ts";
import { manualClock, type ManualClock } from "../manual-clock.ts";

export interface EngineBench<E extends FileEngine = FileEngine> extends AsyncDisposable {
  readonly engine: E;
  readonly clock: ManualClock;
  /** Of the working tree; undefined: the engine has none. */
  readonly directory: string | undefined;
  /** Closes it and opens it again. */
  reopen(): Promise<void>;
}

export async function sqliteBench(): Promise<EngineBench<SqliteEngine> & { readonly directory: string }> {
  const folder = await temporaryFolder();
  const directory = `${folder.path}/space`;
  const clock = manualClock();
  const open = () => openSqliteEngine({ directory, clock, log: silent });
  let engine = open();
  return {
    get engine() {
      return engine;
    },
    clock,
    directory,
    async reopen() {
      await engine.close();
      engine = open();
    },
    async [Symbol.asyncDispose]() {
      await engine.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export function at(path: string): DocumentPath {
  return parseDocumentPath("path", path);
}

export function bytes(written: string): Uint8Array {
  return new TextEncoder().encode(written);
}

export function text(content: { bytes: Uint8Array } | undefined): string | undefined {
  return content && new TextDecoder().decode(content.bytes);
}

export function put(path: string, content: string | Uint8Array, expected?: Expected): Operation {
  return {
    op: "put",
    path: at(path),
    content: typeof content === "string" ? bytes(content) : content,
    expected,
  };
}

export function remove(path: string, expected?: Expected): Operation {
  return { op: "delete", path: at(path), expected };
}

export function undelete(path: string): Operation {
  return { op: "undelete", path: at(path) };
}

export function destroy(path: string, version: number): Operation {
  return { op: "destroy", path: at(path), version };
}

export function apply(
  engine: FileEngine,
  operations: Operation[],
  more: Partial<Batch> = {},
): Promise<Applied> {
  return engine.apply({ operations, author: "ann", ...more });
}

/** As many batches as it takes. */
export async function applyAll(engine: FileEngine, operations: readonly Operation[]): Promise<void> {
  for (let from = 0; from < operations.length; from += BATCH_OPERATIONS_MAX)
    await apply(engine, operations.slice(from, from + BATCH_OPERATIONS_MAX));
}

/** Everything that lies in the working tree without a version. */
export async function adopt(engine: FileEngine): Promise<{ adopted: string[]; refused: string[] }> {
  const { adopted, refused } = await adoptTree(engine, { batch: { author: "ann" }, scan: () => {} });
  return { adopted: [...adopted], refused: refused.map(({ path, code }) => `${path} ${code}`) };
}
