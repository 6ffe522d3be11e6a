// Reads attachments for a request to a provider: verified against their hash, encoded in pieces between which other work runs, and bounded in
// memory over all requests that are under way.

import { AppError } from "../../kit/error.ts";
import { Semaphore } from "../../kit/concurrency/semaphore.ts";
import type { AttachmentFiles } from "./attachment-files.ts";
import { Base64Text, contentKey, type AttachmentContent, type AttachmentContents } from "./content.ts";
import type { SentAttachment } from "./schema.ts";
import type { AttachmentStore } from "./store.ts";

/** Whole groups of three bytes, so that the pieces of base64 join; encoding one takes less than a millisecond. */
const PIECE_BYTES = 3 * 256 * 1024;
/** Of all requests that are under way. More wait. */
const IN_FLIGHT_BYTES_MAX = 256 * 1024 * 1024;

interface Held {
  readonly contents: AttachmentContents;
  /** Gives back their share of memory. */
  readonly release: () => void;
}

export class AttachmentReader {
  readonly #store: AttachmentStore;
  readonly #files: AttachmentFiles;
  readonly #memory = new Semaphore(IN_FLIGHT_BYTES_MAX);

  constructor(store: AttachmentStore, files: AttachmentFiles) {
    this.#store = store;
    this.#files = files;
  }

  /** Raises `refused` for a file that is lost or was changed, and the reason of an aborted signal. */
  async hold(workspaceId: number, sent: readonly SentAttachment[], signal: AbortSignal): Promise<Held> {
    const wanted = new Map(sent.filter(({ as }) => as !== "note").map((one) => [contentKey(one), one]));
    const weight = [...wanted.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    if (weight === 0) return { contents: new Map(), release: () => {} };
    const release = await this.#memory.enter({ weight, signal });
    try {
      const contents = new Map<string, AttachmentContent>();
      for (const [key, one] of wanted) {
        signal.throwIfAborted();
        contents.set(
          key,
          one.as === "text" ? this.#text(workspaceId, one) : await this.#encoded(workspaceId, one),
        );
      }
      return { contents, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  #text(workspaceId: number, one: SentAttachment): string {
    const text = this.#store.textOf.get(workspaceId, one.hash)?.text ?? undefined;
    if (text === undefined) throw lost(one);
    return text;
  }

  async #encoded(workspaceId: number, one: SentAttachment): Promise<Base64Text> {
    const file = Bun.file(this.#files.pathOf(workspaceId, one.hash));
    if (!(await file.exists()) || file.size !== one.bytes) throw lost(one);
    const hasher = new Bun.CryptoHasher("sha256");
    const pieces: string[] = [];
    for (let at = 0; at < one.bytes; at += PIECE_BYTES) {
      const bytes = await file.slice(at, at + PIECE_BYTES).bytes();
      hasher.update(bytes);
      pieces.push(bytes.toBase64());
    }
    if (hasher.digest("hex") !== one.hash) throw lost(one);
    return new Base64Text(pieces);
  }
}

function lost({ name, hash }: SentAttachment): AppError {
  return new AppError(
    "refused",
    `attachment ${name} is missing from the data directory or was modified; attach the same file again, or forget its message, to continue`,
    { hash },
  );
}
