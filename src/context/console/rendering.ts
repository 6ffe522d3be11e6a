// Decides how a document is shown: as a rendered page, as text, or not at all. Keeps the latest pages, because the same document is opened again
// and again.

import { AppError } from "../../kit/error.ts";
import { sha256Hex } from "../../kit/crypto.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import type { RunOptions, WorkerPool } from "../../kit/workers/pool.ts";
import type { ReadFile } from "../space/door.ts";
import { MARKDOWN_JOB } from "./markdown-job.ts";

const MARKDOWN = /\.(?:md|markdown|mdx)$/i;
/** A larger text is offered for download only: a page of it would help nobody. */
const TEXT_BYTES_MAX = 256 * 1024;
const SLOW = "It takes too long to render.";
/** In place of a page, so that such a document costs a worker once. */
const TOO_SLOW = "\0";
const KEPT_CHARACTERS_MAX = 4 * 1024 * 1024;

export type Shown =
  /** Safe HTML. */
  | { readonly kind: "html"; readonly html: string }
  /** `note`: why it is not rendered, if it could be. */
  | { readonly kind: "text"; readonly text: string; readonly note?: string }
  | { readonly kind: "none"; readonly reason: string };

export class Rendering {
  readonly #workers: WorkerPool;
  /** The latest last. */
  readonly #kept = new Map<string, string>();
  #keptCharacters = 0;

  constructor(workers: WorkerPool) {
    this.#workers = workers;
  }

  /** Whether a document of this name is rendered. */
  static renders(path: string): boolean {
    return MARKDOWN.test(path);
  }

  /** `base`: the address of the space. Raises what the worker pool raises if it is too busy. */
  async of(
    { path, bytes }: ReadFile,
    base: string,
    view: "page" | "text",
    options: RunOptions,
  ): Promise<Shown> {
    if (bytes.length > TEXT_BYTES_MAX) return { kind: "none", reason: "It is too large to be shown here." };
    const text = decodeUtf8(bytes);
    if (text === undefined) return { kind: "none", reason: "It is not text." };
    if (view === "text" || !MARKDOWN.test(path)) return { kind: "text", text };
    const key = `${base} ${path} ${sha256Hex(bytes)}`;
    const known = this.#kept.get(key);
    if (known === TOO_SLOW) return { kind: "text", text, note: SLOW };
    if (known !== undefined) return { kind: "html", html: known };
    try {
      const html = await this.#workers.run(MARKDOWN_JOB, { text, path, base }, options);
      this.#keep(key, html);
      return { kind: "html", html };
    } catch (error) {
      // Only a document made for that takes so long.
      if (!(error instanceof AppError) || error.details?.["job"] === undefined) throw error;
      this.#keep(key, TOO_SLOW);
      return { kind: "text", text, note: SLOW };
    }
  }

  #keep(key: string, html: string): void {
    this.#kept.set(key, html);
    this.#keptCharacters += html.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#keptCharacters <= KEPT_CHARACTERS_MAX) return;
      this.#kept.delete(oldest);
      this.#keptCharacters -= length;
    }
  }
}
