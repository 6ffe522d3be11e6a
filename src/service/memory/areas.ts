// What people see of the space: all of it in the admin's Context area, and the branch of one workspace for its members.

import { AppError } from "../../kit/error.ts";
import { parseDocumentPath } from "../../kit/paths.ts";
import { decodeUtf8 } from "../../kit/utf8.ts";
import type { ListedFile } from "../../context/library.ts";
import type { Audit } from "../audit/audit.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import {
  MEMORY_DOCUMENT_BYTES_MAX,
  type ContextDocument,
  type ContextFile,
  type ContextStatus,
  type SavedDocument,
} from "./schema.ts";
import type { MemorySpace } from "./space.ts";

interface AreasDeps {
  readonly space: MemorySpace;
  readonly access: Access;
  readonly audit: Audit;
}

export class MemoryAreas {
  readonly #deps: AreasDeps;

  constructor(deps: AreasDeps) {
    this.#deps = deps;
  }

  /** Any caller. Only admins see where the space is. */
  status(caller: Caller): Promise<ContextStatus> {
    return this.#deps.space.status(caller.role === "admin");
  }

  /** Admins. Lists a directory with everything below it; default: the whole space. */
  async files(caller: Caller, path: string | undefined): Promise<ContextFile[]> {
    requireAdmin(caller);
    const prefix = path === undefined || path === "" ? undefined : path;
    const files = await this.#deps.space.use((space) => space.list({ prefix }));
    return files.map(toFile);
  }

  async file(caller: Caller, path: string): Promise<ContextDocument> {
    requireAdmin(caller);
    return this.#read(path);
  }

  /**
   * Admins. Undefined `expected`: whichever version is live; null: none. Raises `stale` with `details.current`, `secret_found`, `too_large`, and
   * `invalid`.
   */
  async save(
    caller: Caller,
    path: string,
    content: () => Promise<Uint8Array>,
    expected: number | null | undefined,
  ): Promise<SavedDocument> {
    requireAdmin(caller);
    const bytes = await content();
    if (decodeUtf8(bytes) === undefined) throw new AppError("not_text", `${path}: not UTF-8 text`);
    const saved = await this.#deps.space.use((space) => {
      // The body may have taken long to arrive.
      requireAdmin(caller);
      return space.write(path, bytes, expected, { agent: caller.name });
    });
    const { path: at, version, hash } = saved;
    const deed = { action: "context.write", target: `context:${at}`, detail: { path: at, version, hash } };
    this.#deps.audit.record(caller, deed);
    return { path: at, version, hash };
  }

  /** Lists the branch of a workspace: what its agents remember, shared and each for itself. */
  async memory(caller: Caller, workspaceId: number): Promise<ContextFile[]> {
    const { access, space } = this.#deps;
    const { branch } = access.workspace(caller, workspaceId);
    const files = await space.use((door) => door.list({ prefix: branch }));
    access.workspace(caller, workspaceId);
    return files.map(toFile);
  }

  /** Raises `not_found` for a path outside the branch of the workspace. */
  async memoryFile(caller: Caller, workspaceId: number, text: string): Promise<ContextDocument> {
    const { access } = this.#deps;
    const { branch } = access.workspace(caller, workspaceId);
    const path = parseDocumentPath("path", text);
    if (!path.startsWith(`${branch}/`)) throw new AppError("not_found", `file ${path}: not found`);
    const document = await this.#read(path);
    access.workspace(caller, workspaceId);
    return document;
  }

  async #read(text: string): Promise<ContextDocument> {
    const path = parseDocumentPath("path", text);
    const { version, state, bytes } = await this.#deps.space.use((space) => space.read(path));
    if (bytes.length > MEMORY_DOCUMENT_BYTES_MAX)
      throw new AppError("too_large", `${path}: larger than ${MEMORY_DOCUMENT_BYTES_MAX} bytes`);
    const content = decodeUtf8(bytes);
    if (content === undefined) throw new AppError("not_text", `${path}: not UTF-8 text`);
    return { path, version, state, text: content };
  }
}

function toFile({ path, version, size, hash, updated_at, author, state }: ListedFile): ContextFile {
  return { path, version, size, hash, updated_at, author, state };
}
