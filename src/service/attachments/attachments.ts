// Rules for attachments: upload, fetch, use in a message, removal. Everyone who sees a workspace may do all of it; a message alone makes an
// attachment stay.
//
// Uploads and removals of one workspace are serialised from the file's move to the row's commit, so that a row never lacks its file.

import type { Background } from "../../kit/concurrency/background.ts";
import { HOUR_MS, rfc3339, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, messageOf, notFound } from "../../kit/error.ts";
import { KeyedLock } from "../../kit/concurrency/keyed-lock.ts";
import type { Log } from "../../kit/log.ts";
import { fileName } from "../../kit/text/names.ts";
import type { WorkerPool } from "../../kit/workers/pool.ts";
import type { Reader } from "../catalog/models.ts";
import type { Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import type { AttachmentFiles, Received } from "./attachment-files.ts";
import { unreadable } from "./forms.ts";
import { INSPECTION_JOB, type Inspected } from "./inspection-job.ts";
import {
  ATTACHMENT_NAME_CHARACTERS_MAX,
  HASH_CHARACTERS,
  MESSAGE_BYTES_MAX,
  UNUSED_HOURS_MAX,
  WORKSPACE_BYTES_MAX,
  type Attachment,
  type ChatAttachment,
  type MessageAttachment,
} from "./schema.ts";
import type { AttachmentRow, AttachmentStore } from "./store.ts";

/** Removed per sweep; the next sweep removes the rest. */
const SWEPT_AT_ONCE = 100;
const UNNAMED = "attachment";

interface AttachmentsDeps {
  db: Db;
  store: AttachmentStore;
  files: AttachmentFiles;
  access: Access;
  workers: WorkerPool;
  background: Background;
  clock: Clock;
  log: Log;
}

interface Upload {
  readonly name: string;
  readonly received: Received;
  /** Undefined if the content is known. */
  readonly inspected: Inspected | undefined;
}

export class Attachments {
  readonly #deps: AttachmentsDeps;
  readonly #changing = new KeyedLock<number>();

  constructor(deps: AttachmentsDeps) {
    this.#deps = deps;
  }

  /**
   * Stores a file. Calls `body` only after the access check. The same content is stored once. Raises `not_found`, `not_text`, `too_large`,
   * `refused` (broken, or the workspace is full), `unavailable` (disk full; nothing is kept).
   */
  async upload(
    caller: Caller,
    workspaceId: number,
    name: string | undefined,
    body: () => AsyncIterable<Uint8Array>,
  ): Promise<Attachment & { created: boolean }> {
    const { access, files } = this.#deps;
    access.changeable(caller, workspaceId);
    this.#requireRoom(workspaceId, 1);
    this.#sweepLater();
    const shown = shownName(name);
    await using received = await files.receive(body());
    const known = this.#deps.store.byHash.get(workspaceId, received.hash);
    const inspected = known ? undefined : await this.#inspected(caller, received.path, shown);
    return await this.#changing.run(workspaceId, () =>
      this.#keep(caller, workspaceId, { name: shown, received, inspected }),
    );
  }

  /** A file that is hostile, or far beyond others, reaches the limit of time or memory. */
  async #inspected(caller: Caller, path: string, name: string): Promise<Inspected> {
    try {
      return await this.#deps.workers.run(INSPECTION_JOB, { path, name }, { by: `user:${caller.userId}` });
    } catch (error) {
      if (!(error instanceof AppError) || error.details?.["job"] !== INSPECTION_JOB.name) throw error;
      const problem = `${name}: takes too long or too much memory to read; attach a smaller part of it`;
      throw new AppError("refused", problem, error.details);
    }
  }

  /** For a response with its bytes. Raises `not_found`, also for a file that was lost. */
  async open(
    caller: Caller,
    workspaceId: number,
    hash: string,
  ): Promise<{ row: AttachmentRow; path: string }> {
    const { access, store, files } = this.#deps;
    access.workspace(caller, workspaceId);
    const row = store.byHash.get(workspaceId, hash);
    if (!row) throw notFound("attachment", hash.slice(0, HASH_CHARACTERS));
    const path = files.pathOf(workspaceId, hash);
    if (!(await Bun.file(path).exists())) throw notFound("attachment", hash);
    return { row, path };
  }

  /**
   * Inside the write that stores a message: returns its attachments, and keeps them from then on. Raises `not_found`, `too_large`, and `refused`
   * with `model_id` and `input` for what the model cannot read.
   */
  use(workspaceId: number, given: readonly ChatAttachment[], reader: Reader): MessageAttachment[] {
    const { store, clock } = this.#deps;
    let bytes = 0;
    return given.map(({ hash, name, untrusted = false }) => {
      const row = store.byHash.get(workspaceId, hash);
      if (!row) throw notFound("attachment", hash);
      bytes += row.bytes;
      if (bytes > MESSAGE_BYTES_MAX)
        throw new AppError(
          "too_large",
          `the attachments of a message may have at most ${MESSAGE_BYTES_MAX} bytes`,
          {
            limit_bytes: MESSAGE_BYTES_MAX,
          },
        );
      const attachment = {
        ...factsOf(row),
        name: name === undefined ? row.name : shownName(name),
        untrusted,
      };
      requireReadable(attachment, reader);
      store.use.run(clock.now(), workspaceId, hash);
      return attachment;
    });
  }

  /** Removes, at start, what a stop left behind. Directories of workspaces that are gone are removed with the workspace. */
  start(): void {
    this.#deps.files.clearIncoming();
    this.#deps.background.run("sweep of attachments", () => this.#reconcile());
  }

  /** Removes, after a crash, files without a row, and attachments that no message was sent with. */
  async #reconcile(): Promise<void> {
    const { store, files, log } = this.#deps;
    await this.#sweep();
    for (const workspaceId of files.workspaces())
      await this.#changing.run(workspaceId, async () => {
        for (const hash of await files.hashesOf(workspaceId)) {
          if (store.byHash.get(workspaceId, hash)) continue;
          await files.remove(workspaceId, hash);
          log.info("removed an attachment that an interrupted upload left", { workspace: workspaceId });
        }
      });
  }

  #sweepLater(): void {
    this.#deps.background.run("sweep of attachments", () => this.#sweep());
  }

  async #sweep(): Promise<void> {
    const { db, store, files, clock } = this.#deps;
    const before = clock.now() - UNUSED_HOURS_MAX * HOUR_MS;
    for (const { workspace_id: id, hash } of store.unusedBefore.all(before, SWEPT_AT_ONCE))
      await this.#changing.run(id, async () => {
        const removed = await db.write(() => store.removeUnused.run(id, hash, before));
        if (removed > 0) await files.remove(id, hash);
      });
  }

  async #keep(
    caller: Caller,
    workspaceId: number,
    { name, received, inspected }: Upload,
  ): Promise<Attachment & { created: boolean }> {
    const { db, store, files, access, clock } = this.#deps;
    const known = () => store.byHash.get(workspaceId, received.hash);
    // Swept between the upload's beginning and now: the client uploads it again.
    if (!inspected && !known())
      throw new AppError("conflict", `${name}: removed in the meantime; attach it again`);
    // Also over a file that is there: it may have been lost or modified.
    await files.place(received, workspaceId);
    try {
      return await db.write(() => {
        access.changeable(caller, workspaceId);
        const created = !known();
        if (created) this.#insert(workspaceId, name, received, inspected!);
        else store.touch.run(clock.now(), workspaceId, received.hash);
        return { ...toAttachment(known()!), name, created };
      });
    } catch (error) {
      if (!known())
        await files
          .remove(workspaceId, received.hash)
          .catch((failure: unknown) =>
            this.#deps.log.warn("cannot remove a refused attachment", { error: messageOf(failure) }),
          );
      throw error;
    }
  }

  #insert(workspaceId: number, name: string, { hash, bytes }: Received, inspected: Inspected): void {
    const { store, clock } = this.#deps;
    this.#requireRoom(workspaceId, bytes);
    const { kind, mediaType, width, height, pages, text, textTokens } = inspected;
    store.insert.run({
      workspace_id: workspaceId,
      hash,
      name,
      kind,
      media_type: mediaType,
      bytes,
      width,
      height,
      pages,
      text,
      text_tokens: textTokens,
      created_at: clock.now(),
    });
  }

  #requireRoom(workspaceId: number, bytes: number): void {
    const used = this.#deps.store.bytesOf.get(workspaceId)?.bytes ?? 0;
    if (used + bytes <= WORKSPACE_BYTES_MAX) return;
    throw new AppError(
      "refused",
      `the workspace has ${used} bytes of attachments, and may have ${WORKSPACE_BYTES_MAX}; continue in another workspace`,
      { limit_bytes: WORKSPACE_BYTES_MAX, used_bytes: used },
    );
  }
}

const READS = {
  images: ["does not read images", "Reads images"],
  pdfs: ["does not read PDFs as they are, and this one has no text", "Reads PDFs"],
} as const;

function requireReadable(attachment: MessageAttachment, reader: Reader): void {
  const input = unreadable(attachment, reader);
  if (input === undefined) return;
  const [why, setting] = READS[input];
  throw new AppError(
    "refused",
    `${attachment.name}: ${reader.label} ${why}; choose another model, or remove the attachment. If the model can, an admin turns on “${setting}” in its settings.`,
    { model_id: reader.id, input, hash: attachment.hash },
  );
}

function shownName(name: string | undefined): string {
  return fileName(name ?? "", ATTACHMENT_NAME_CHARACTERS_MAX) ?? UNNAMED;
}

function factsOf(row: AttachmentRow) {
  const { hash, name, kind, media_type, bytes, width, height, pages, text_tokens } = row;
  return { hash, name, kind, media_type, bytes, width, height, pages, text_tokens };
}

function toAttachment(row: AttachmentRow): Attachment {
  return { ...factsOf(row), created_at: rfc3339(row.created_at) };
}
