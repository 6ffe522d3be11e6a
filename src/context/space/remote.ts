// A space of a server, through its HTTP API: over the network, or in this process for the data directory of a server that is stopped.

import { contentOf } from "../client/answers.ts";
import { encodedPath, type Client } from "../client/client.ts";
import type { FileDiff } from "../files/diff.ts";
import type { DocumentsAnswer, DocumentsQuery } from "../files/documents.ts";
import type { DiffQuery, Written } from "../files/files.ts";
import { headersOf, type Signature } from "../files/signature.ts";
import type { Adoption, Deleted, ListedFile } from "../files/listing-schema.ts";
import type { FreshnessAnswer } from "../freshness/schema.ts";
import type { GraphAnswer, GraphQuery } from "../graph/schema.ts";
import type { SearchAnswer, SearchQuery } from "../search/schema.ts";
import type { Space, SyncMode, SyncRules } from "../spaces/schema.ts";
import type { Expected } from "../versioned-store/engine.ts";
import type { FileHistory, Snapshot } from "../versioned-store/schema.ts";
import type { FileBehind, ListQuery, ReadFile, RestoredSnapshot, SpaceDoor } from "./door.ts";

export class RemoteSpace implements SpaceDoor {
  readonly name: string;
  readonly #client: Client;
  readonly #root: string;

  /** Closes the client with the space. */
  constructor(client: Client, name: string) {
    this.name = name;
    this.#client = client;
    this.#root = `/spaces/${encodeURIComponent(name)}`;
  }

  get place(): string {
    return this.#client.name;
  }

  record(): Promise<Space> {
    return this.#client.get<Space>(this.#root);
  }

  list({ prefix, deleted, at }: ListQuery = {}): Promise<ListedFile[]> {
    return this.#client.get(`${this.#root}/files`, { prefix, deleted: deleted ? 1 : undefined, at });
  }

  documents(query: DocumentsQuery): Promise<DocumentsAnswer> {
    return this.#client.json("POST", `${this.#root}/documents`, { body: query });
  }

  async read(path: string, version?: number): Promise<ReadFile> {
    const response = await this.#client.request("GET", this.#at("files", path), { query: { version } });
    const tag = response.headers.get("etag");
    return {
      path,
      version: tag === null ? null : versionIn(tag),
      state: (response.headers.get("x-service-state") ?? "live") as ReadFile["state"],
      bytes: await contentOf(response, this.place),
    };
  }

  search({ text, regex, ignoreCase, path, limit, lines }: SearchQuery): Promise<SearchAnswer> {
    return this.#client.get(`${this.#root}/search`, {
      q: text,
      regex: regex ? 1 : undefined,
      ignore_case: ignoreCase ? 1 : undefined,
      path,
      limit,
      lines,
    });
  }

  history(path: string): Promise<FileHistory> {
    return this.#client.get(this.#at("history", path));
  }

  diff(path: string, { from, to, context }: Omit<DiffQuery, "signal"> = {}): Promise<FileDiff> {
    return this.#client.get(this.#at("diff", path), { from, to, context });
  }

  write(path: string, content: Uint8Array, expected: Expected, signature: Signature = {}): Promise<Written> {
    const headers = { ...preconditionOf(expected), ...headersOf(signature) };
    return this.#client.json("PUT", this.#at("files", path), { raw: content, headers });
  }

  remove(path: string, expected: Expected): Promise<Deleted> {
    return this.#client.json("DELETE", this.#at("files", path), { headers: preconditionOf(expected) });
  }

  undelete(path: string): Promise<Written> {
    return this.#client.json("POST", this.#at("undelete", path));
  }

  async destroy(path: string, version: number): Promise<void> {
    await this.#client.request("DELETE", this.#at("versions", path), { query: { version } });
  }

  adopt(): Promise<Adoption> {
    return this.#client.json("POST", `${this.#root}/adopt`);
  }

  snapshots(): Promise<Snapshot[]> {
    return this.#client.get(`${this.#root}/snapshots`);
  }

  snapshot(title: string): Promise<Snapshot> {
    return this.#client.json("POST", `${this.#root}/snapshots`, { body: { name: title } });
  }

  restore(id: number): Promise<RestoredSnapshot> {
    return this.#client.json("POST", `${this.#root}/snapshots/${id}/restore`);
  }

  freshness(): Promise<FreshnessAnswer> {
    return this.#client.get(`${this.#root}/freshness`);
  }

  graph(query: GraphQuery = {}): Promise<GraphAnswer> {
    return this.#client.get(`${this.#root}/graph`, query);
  }

  /** The working tree of a server is its operator's: see its log and `cairn doctor`. */
  async behind(): Promise<FileBehind[]> {
    return [];
  }

  syncRules(): Promise<SyncRules> {
    return this.#client.get(`${this.#root}/sync`);
  }

  async setSyncRule(prefix: string, mode: SyncMode): Promise<SyncRules> {
    const body = { ...(await this.syncRules()), [prefix]: mode };
    return this.#client.json("PUT", `${this.#root}/sync`, { body });
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #at(kind: string, path: string): string {
    return `${this.#root}/${kind}/${encodedPath(path)}`;
  }
}

/** A proxy that compresses the answer makes its tag weak. */
function versionIn(tag: string): number {
  return Number(tag.replace(/^W\//, "").replaceAll('"', ""));
}

function preconditionOf(expected: Expected): Record<string, string> {
  if (expected === undefined) return {};
  return expected === null ? { "If-None-Match": "*" } : { "If-Match": `"${expected}"` };
}
