// The bytes of attachments on disk: `<workspace>/<hash>`, written once and never changed. An upload is received in a file of its own, and moved
// to its place when it is complete and synced, so that a crash leaves either all of it or a file that the next start removes.

import { readdirSync, rmSync } from "node:fs";
import { mkdir, open, readdir, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { guarded } from "../../kit/disk/disk.ts";
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../../kit/disk/modes.ts";
import { randomHex } from "../../kit/random.ts";
import { replaceWith } from "../../kit/disk/replace-file.ts";

/** Below the folder of attachments: uploads that are not complete. */
export const INCOMING = "incoming";
const NAME_BITS = 96;
const HASH = /^[0-9a-f]{64}$/;

/** A complete upload that has no place yet. Disposing of it removes it, unless it was placed. */
export interface Received extends AsyncDisposable {
  readonly path: string;
  readonly hash: string;
  readonly bytes: number;
}

export class AttachmentFiles {
  readonly #base: string;
  readonly #incoming: string;

  constructor(base: string) {
    this.#base = base;
    this.#incoming = join(base, INCOMING);
  }

  /** Removes, at start, what uploads left that a stop ended. */
  clearIncoming(): void {
    rmSync(this.#incoming, { recursive: true, force: true });
  }

  /** An absolute path, which must not appear in responses or logs. */
  pathOf(workspaceId: number, hash: string): string {
    return join(this.#base, String(workspaceId), hash);
  }

  /** Raises what `pieces` raises, and `unavailable` when the disk is full; then nothing is left. */
  async receive(pieces: AsyncIterable<Uint8Array>): Promise<Received> {
    const path = join(this.#incoming, randomHex(NAME_BITS));
    const remove = () => rm(path, { force: true });
    const file = await guarded("", async () => {
      await mkdir(this.#incoming, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
      return open(path, "wx", PRIVATE_FILE_MODE);
    });
    try {
      const written = await writeAll(file, pieces);
      return { path, ...written, [Symbol.asyncDispose]: remove };
    } catch (error) {
      await remove();
      throw error;
    }
  }

  /** Durable when it resolves. The same content may lie there already. */
  async place({ path, hash }: Received, workspaceId: number): Promise<void> {
    await guarded("", async () => {
      await mkdir(join(this.#base, String(workspaceId)), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
      await replaceWith(path, this.pathOf(workspaceId, hash));
    });
  }

  async remove(workspaceId: number, hash: string): Promise<void> {
    await rm(this.pathOf(workspaceId, hash), { force: true });
  }

  /** The ids of workspaces with a directory. */
  workspaces(): number[] {
    try {
      return readdirSync(this.#base).flatMap((name) =>
        /^[1-9][0-9]{0,15}$/.test(name) ? [Number(name)] : [],
      );
    } catch {
      return [];
    }
  }

  async hashesOf(workspaceId: number): Promise<string[]> {
    const names = await readdir(join(this.#base, String(workspaceId))).catch(() => []);
    return names.filter((name) => HASH.test(name));
  }
}

async function writeAll(
  file: FileHandle,
  pieces: AsyncIterable<Uint8Array>,
): Promise<Pick<Received, "hash" | "bytes">> {
  const hasher = new Bun.CryptoHasher("sha256");
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      hasher.update(piece);
      bytes += piece.byteLength;
      await guarded("", () => file.appendFile(piece));
    }
  } finally {
    await file.close();
  }
  return { hash: hasher.digest("hex"), bytes };
}
