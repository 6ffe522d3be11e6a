// The server's side of a synced space, as a cycle asks for it. Every answer is complete or raises, and every path and rule that leaves this file is
// proven: a path that cannot be one refuses the whole answer, so that nothing of it is recorded, and no change is passed over in silence.

import { AppError, messageOf, NAME_CHARACTERS_SHOWN_MAX, noneIfNotFound } from "../../kit/error.ts";
import { pathProblem } from "../../kit/text/paths.ts";
import { contentOf } from "../client/answers.ts";
import { encodedPath, type Asked, type Client } from "../client/client.ts";
import { interrupted } from "../client/failures.ts";
import { SYNC_ANSWER_MS } from "../client/answer-timeout.ts";
import type { ListedFile } from "../files/listing-schema.ts";
import { areKnown } from "../spaces/modes.ts";
import type { Space, SyncRules } from "../spaces/schema.ts";
import { readContents, type Arrived } from "../sync/contents.ts";
import { PULL_BYTES_MAX, type Pushed, type PushOperation } from "../sync/schema.ts";
import type { FileHistory, NetChange } from "../versioned-store/schema.ts";
import type { ServerChange, ServerFile } from "./state.ts";

export interface News {
  readonly head: string;
  readonly rules: SyncRules;
  /** Changes with the person's rights; undefined: an earlier server does not say. */
  readonly view: string | undefined;
  readonly changes: readonly ServerChange[];
}

export interface Everything {
  readonly head: string;
  readonly rules: SyncRules;
  /** As in `News`. */
  readonly view: string | undefined;
  readonly files: readonly ServerFile[];
}

export type Pulled = Arrived;

export class ServerSpace {
  readonly #client: Client;
  readonly #root: string;
  readonly #signal: AbortSignal | undefined;
  /** Sent so far. */
  requests = 0;

  /** `signal`: aborts requests. */
  constructor(client: Client, space: string, signal?: AbortSignal) {
    this.#client = client;
    this.#root = `/spaces/${encodeURIComponent(space)}`;
    this.#signal = signal;
  }

  get place(): string {
    return this.#client.name;
  }

  /** Raises `epoch_changed` with `details.head`, if there is one, for a server with another history. */
  async news(since: string): Promise<News> {
    try {
      const { head, sync, view, changes } = await this.#json<{
        head: string;
        sync: SyncRules;
        view?: string;
        changes: NetChange[];
      }>("GET", "/changes", { query: { since } });
      return { head, rules: this.#known(sync), view, changes: this.#proven(changes).map(changeOf) };
    } catch (error) {
      // A head from the future: someone put back the server's files without a restore.
      if (error instanceof AppError && error.code === "invalid")
        throw new AppError("epoch_changed", error.message);
      throw error;
    }
  }

  /** Returns the space as it is now. */
  async everything(): Promise<Everything> {
    const { head, sync } = await this.#json<Space>("GET", "");
    // Before the files: rights that change meanwhile are noticed later.
    const { view } = await this.news(head);
    const files = await this.#json<ListedFile[]>("GET", "/files", { query: { at: head } });
    return {
      head,
      rules: this.#known(sync),
      view,
      files: this.#proven(files).map((file) => ({ ...file, version: file.version! })),
    };
  }

  /** Returns the live versions of exactly these paths, which may be newer than known. Raises as the server does for the first path that it refuses. */
  async pull(paths: readonly string[]): Promise<Pulled[]> {
    const response = await this.#request("POST", "/pull", { body: { paths, form: "contents" } });
    const pulled: Pulled[] = [];
    const missing = new Set(paths);
    try {
      for await (const one of readContents(response.body!, PULL_BYTES_MAX)) {
        if (!missing.delete(one.path)) throw new AppError("invalid", "it has content that was not requested");
        pulled.push(one);
      }
    } catch (error) {
      if (error instanceof AppError && error.code !== "invalid") throw error;
      throw interrupted(this.place, messageOf(error));
    }
    if (missing.size > 0) throw interrupted(this.place, "the contents are incomplete");
    return pulled;
  }

  push(base: string, ops: readonly PushOperation[]): Promise<Pushed> {
    return this.#json("POST", "/push", { body: { base, ops } });
  }

  async content(path: string, version: number): Promise<Uint8Array> {
    const response = await this.#request("GET", `/files/${encodedPath(path)}`, { query: { version } });
    return contentOf(response, this.place);
  }

  /** Returns the hashes of all versions of a file. */
  async hashesOf(path: string): Promise<string[]> {
    const asked = this.#json<FileHistory>("GET", `/history/${encodedPath(path)}`);
    const history = await asked.catch(noneIfNotFound);
    return history?.versions.map(({ hash }) => hash) ?? [];
  }

  /** Raises `unavailable` for the first path that cannot be one, and for no list. */
  #proven<T extends { readonly path: string }>(items: readonly T[]): readonly T[] {
    if (!Array.isArray(items)) throw this.#odd("no list of files");
    for (const { path } of items) {
      const problem = problemOf(path);
      if (problem === undefined) continue;
      const shown = JSON.stringify(String(path).slice(0, NAME_CHARACTERS_SHOWN_MAX));
      throw this.#odd(`${shown}, which cannot be the path of a file: ${problem}`);
    }
    return items;
  }

  /** Raises `unavailable`. */
  #known(rules: SyncRules): SyncRules {
    if (areKnown(rules)) return rules;
    throw this.#odd("sync rules that this version does not know");
  }

  #odd(what: string): AppError {
    return new AppError(
      "unavailable",
      `${this.place} sent ${what}; nothing of its answer was recorded; update cairn if the server is newer, otherwise ask its admin what changes its answers`,
    );
  }

  #json<T>(...[method, path, asked]: Parameters<Client["json"]>): Promise<T> {
    return this.#client.json<T>(method, this.#root + path, this.#counted(asked));
  }

  #request(...[method, path, asked]: Parameters<Client["request"]>): Promise<Response> {
    return this.#client.request(method, this.#root + path, this.#counted(asked));
  }

  #counted(asked: Asked = {}): Asked {
    this.requests += 1;
    return {
      ...asked,
      answerMs: SYNC_ANSWER_MS,
      ...(this.#signal === undefined ? {} : { signal: this.#signal }),
    };
  }
}

function changeOf({ path, change, version, hash, size, author }: NetChange): ServerChange {
  return change === "deleted" || version === null
    ? { path, version: null }
    : { path, version, hash, size, author };
}

/** The server's paths have one form. Undefined: the path is accepted. */
function problemOf(path: unknown): string | undefined {
  if (typeof path !== "string") return "not text";
  return pathProblem(path) ?? (path === path.normalize("NFC") ? undefined : "not in the Unicode form NFC");
}
