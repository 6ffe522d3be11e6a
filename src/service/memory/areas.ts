// The parts of the space that people see: all of it in the admin's Context area, and the branch of one workspace for its members.

import { AppError, badParameter } from "../../kit/error.ts";
import type { Clock } from "../../kit/clock.ts";
import { parseDocumentPath } from "../../kit/text/paths.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import type { Audit } from "../audit/audit.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import { historyPage, readDocument, toFile, toHit } from "./documents.ts";
import { recall } from "./recall.ts";
import { SEARCH_CHARACTERS_MAX } from "./schema.ts";
import type {
  ContextDocument,
  ContextFile,
  ContextSearch,
  ContextStatus,
  DeletedDocument,
  DocumentHistory,
  MemoryHistory,
  RestoreDocument,
  SavedDocument,
} from "./schema.ts";
import type { MemorySpace } from "./space.ts";
import type { MemoryWrites } from "./writes.ts";

const FOUND_MAX = 30;

interface AreasDeps {
  readonly space: MemorySpace;
  readonly access: Access;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly writes: MemoryWrites;
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
  async files(caller: Caller, path: string | undefined, deleted: boolean): Promise<ContextFile[]> {
    requireAdmin(caller);
    const prefix = prefixOf(path);
    const files = await this.#deps.space.use((space) => space.list({ prefix, deleted }));
    return files.map(toFile);
  }

  /** Admins. Without `version`: what is live now, with an edit by hand. */
  async file(caller: Caller, path: string, version?: number): Promise<ContextDocument> {
    requireAdmin(caller);
    return this.#read(path, version);
  }

  /** Admins. Also of a deleted document. Raises `not_found` for one that has no versions. */
  async history(
    caller: Caller,
    text: string,
    page: { readonly before?: number | undefined; readonly limit?: number | undefined },
  ): Promise<DocumentHistory> {
    requireAdmin(caller);
    const path = parseDocumentPath("path", text);
    return historyPage(await this.#deps.space.use((space) => space.history(path)), page);
  }

  /** Admins. Raises `invalid` for a query without a word. */
  async search(caller: Caller, text: string, path: string | undefined): Promise<ContextSearch> {
    requireAdmin(caller);
    if (text.length > SEARCH_CHARACTERS_MAX)
      throw badParameter("q", `at most ${SEARCH_CHARACTERS_MAX} characters`);
    const { space, clock } = this.#deps;
    const query = { text, prefixes: [prefixOf(path)], limit: FOUND_MAX };
    const { results, more } = await space.use((door) => recall(door, query, clock));
    return { results: results.map(toHit), more };
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
  ): Promise<SavedDocument & { created: boolean }> {
    requireAdmin(caller);
    const bytes = await content();
    if (decodeUtf8(bytes) === undefined) throw new AppError("not_text", `${path}: not UTF-8 text`);
    const saved = await this.#deps.space.use((space) => {
      // The body may have taken long to arrive.
      requireAdmin(caller);
      return space.write(path, bytes, expected, { agent: caller.name });
    });
    return { ...this.#recorded(caller, "context.write", saved), created: saved.created };
  }

  /** Admins. Keeps every version. Raises `stale` and `not_found`. */
  async remove(caller: Caller, path: string, expected: number | null | undefined): Promise<DeletedDocument> {
    requireAdmin(caller);
    const { path: at, version } = await this.#deps.space.use((space) => space.remove(path, expected));
    const deed = { action: "context.delete", target: `context:${at}`, detail: { path: at, version } };
    this.#deps.audit.record(caller, deed);
    return { path: at, version };
  }

  /**
   * Admins. Writes the content of an earlier version as a new one, or undeletes. Raises `stale`, `not_found`, `conflict` for a document that is not
   * deleted, and `secret_found`.
   */
  async restore(
    caller: Caller,
    { path: text, version, expected_version: expected }: RestoreDocument,
  ): Promise<SavedDocument> {
    requireAdmin(caller);
    const path = parseDocumentPath("path", text);
    const saved = await this.#deps.space.use(async (space) => {
      if (version === undefined) return space.undelete(path);
      const { bytes } = await space.read(path, version);
      const message = `restored from version ${version}`;
      return space.write(path, bytes, expected, { agent: caller.name, message });
    });
    return this.#recorded(caller, "context.restore", saved);
  }

  #recorded(caller: Caller, action: string, { path, version, hash }: SavedDocument): SavedDocument {
    const saved = { path, version, hash };
    this.#deps.audit.record(caller, { action, target: `context:${path}`, detail: saved });
    return saved;
  }

  /** Lists the branch of a workspace: what its agents remember, shared and each for itself. */
  async memory(caller: Caller, workspaceId: number): Promise<ContextFile[]> {
    const { access, space } = this.#deps;
    const { branch } = access.workspace(caller, workspaceId);
    const files = await space.use((door) => door.list({ prefix: branch }));
    access.workspace(caller, workspaceId);
    return files.map(toFile);
  }

  /** By default the live version. Raises `not_found` for a path outside the branch of the workspace. */
  async memoryFile(
    caller: Caller,
    workspaceId: number,
    text: string,
    version?: number,
  ): Promise<ContextDocument> {
    const path = this.#branchPath(caller, workspaceId, text);
    const document = await this.#read(path, version);
    this.#deps.access.workspace(caller, workspaceId);
    return document;
  }

  /** Says which turn wrote which version. Raises `not_found` as `memoryFile` does. */
  async memoryHistory(
    caller: Caller,
    workspaceId: number,
    text: string,
    page: { readonly before?: number | undefined; readonly limit?: number | undefined },
  ): Promise<MemoryHistory> {
    const { access, space, writes } = this.#deps;
    const path = this.#branchPath(caller, workspaceId, text);
    const history = historyPage(await space.use((door) => door.history(path)), page);
    access.workspace(caller, workspaceId);
    const written = writes.ofDocument(workspaceId, path, history.versions);
    const versions = history.versions.map((one) => {
      const { turn_id = null, agent_id = null } = written.get(one.version) ?? {};
      return { ...one, turn_id, agent_id };
    });
    return { ...history, versions };
  }

  #branchPath(caller: Caller, workspaceId: number, text: string): string {
    const { branch } = this.#deps.access.workspace(caller, workspaceId);
    const path = parseDocumentPath("path", text);
    if (!path.startsWith(`${branch}/`)) throw new AppError("not_found", `file ${path}: not found`);
    return path;
  }

  #read(text: string, version?: number): Promise<ContextDocument> {
    const path = parseDocumentPath("path", text);
    return this.#deps.space.use((space) => readDocument(space, path, version));
  }
}

function prefixOf(path: string | undefined): string | undefined {
  return path === undefined || path === "" ? undefined : parseDocumentPath("path", path);
}
