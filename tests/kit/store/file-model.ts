// The versioned store as plain maps: what it must answer, in the fewest words. No clashes of names, no tree: histories that use it keep to
// names that do not clash.

import { sha256Hex } from "../../../src/kit/crypto.ts";

interface ModelVersion {
  readonly content: string;
  readonly author: string;
  gone: boolean;
}

interface ModelFile {
  readonly versions: ModelVersion[];
  /** Number of the live version; null: deleted. */
  live: number | null;
  /** The live version, or the one that was. */
  shown: number;
  changedAt: number;
}

export type ModelOperation =
  | { op: "put"; path: string; content: string; expected?: number | null | undefined }
  | { op: "delete"; path: string; expected?: number | undefined }
  | { op: "undelete"; path: string }
  | { op: "destroy"; path: string; version: number };

export class FileModel {
  readonly files = new Map<string, ModelFile>();
  /** The live files after each change, by its number: path → version. */
  readonly past: ReadonlyMap<string, number>[] = [new Map()];

  get seq(): number {
    return this.past.length - 1;
  }

  /** The code of the refusal, or undefined. A batch on distinct paths. */
  apply(operations: readonly ModelOperation[], author: string): string | undefined {
    for (const operation of operations) {
      const refused = this.#refusal(operation);
      if (refused) return refused;
    }
    const deletes = operations.filter(({ op }) => op === "delete");
    for (const operation of [...deletes, ...operations.filter(({ op }) => op !== "delete")])
      this.#do(operation, author);
    return undefined;
  }

  #refusal(operation: ModelOperation): string | undefined {
    const file = this.files.get(operation.path);
    const live = file?.live ?? null;
    if (operation.op === "put")
      return operation.expected === undefined || operation.expected === live ? undefined : "stale";
    if (operation.op === "delete") {
      if (live === null) return "not_found";
      return operation.expected === undefined || operation.expected === live ? undefined : "stale";
    }
    if (operation.op === "undelete") {
      if (!file) return "not_found";
      if (live !== null) return "conflict";
      return file.versions.some(({ gone }) => !gone) ? undefined : "refused";
    }
    if (!file?.versions[operation.version - 1]) return "not_found";
    return live === operation.version ? "invalid" : undefined;
  }

  #do(operation: ModelOperation, author: string): void {
    let file = this.files.get(operation.path);
    if (operation.op === "put") {
      file ??= { versions: [], live: null, shown: 0, changedAt: 0 };
      this.files.set(operation.path, file);
      file.versions.push({ content: operation.content, author, gone: false });
      file.live = file.versions.length;
    } else if (operation.op === "delete") file!.live = null;
    else if (operation.op === "undelete") file!.live = file!.versions.findLastIndex(({ gone }) => !gone) + 1;
    else {
      const version = file!.versions[operation.version - 1]!;
      if (version.gone) return;
      version.gone = true;
    }
    const live = new Map(this.past.at(-1));
    if (file!.live === null) live.delete(operation.path);
    else live.set(operation.path, (file!.shown = file!.live));
    this.past.push(live);
    if (operation.op !== "destroy") file!.changedAt = this.seq;
  }

  totals() {
    const files = [...this.files.values()];
    const live = files.flatMap((file) =>
      file.live === null ? [] : [file.versions[file.live - 1]!.content.length],
    );
    return {
      files: live.length,
      bytes: live.reduce((sum, size) => sum + size, 0),
      versions: files.reduce((sum, { versions }) => sum + versions.filter(({ gone }) => !gone).length, 0),
    };
  }

  /** path, version, hash, state; sorted. */
  list(): unknown[] {
    return this.#sorted().map(([path, file]) => [
      path,
      file.shown,
      sha256Hex(file.versions[file.shown - 1]!.content),
      file.live === null ? "deleted" : "live",
    ]);
  }

  /** path and version of what was live then; sorted. */
  asOf(seq: number): [string, number][] {
    return [...this.past[seq]!].sort(byPath);
  }

  /** path and live version of what changed since; sorted. */
  changesSince(seq: number): [string, number | null][] {
    return this.#sorted().flatMap(([path, file]) =>
      file.changedAt > seq ? [[path, file.live] as [string, number | null]] : [],
    );
  }

  #sorted(): [string, ModelFile][] {
    return [...this.files].sort(byPath);
  }
}

function byPath([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
