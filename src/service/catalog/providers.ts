// Rules for providers. Anyone signed in reads them; admins write and test them. A stored key is never sent to a changed address, and no record
// contains it.

import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, fieldError, messageOf, notFound } from "../../kit/error.ts";
import { nameKey, parseName } from "../../kit/text/names.ts";
import { plural } from "../../kit/text/amounts.ts";
import type { Audit } from "../audit/audit.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";
import { refuseForbiddenAddress, type OwnListener, type Resolve } from "./addresses.ts";
import { changesOf } from "./changes.ts";
import { destinationOf, type Destination } from "./destination.ts";
import { EXAMPLE_TEST, exampleIsFixed, requireExampleProvider } from "./example.ts";
import { HOST_NOT_FOUND } from "./failures.ts";
import type { ProviderKeys } from "./keys.ts";
import { failure, listProviderModels, type Fetch } from "./listing.ts";
import {
  API_KEY_CHARACTERS_MAX,
  BASE_URL_CHARACTERS_MAX,
  PROVIDERS_MAX,
  type CreateProvider,
  type Protocol,
  type Provider,
  type ProviderTest,
  type ProviderType,
  type UpdateProvider,
} from "./schema.ts";
import type { CatalogStore, ProviderRow } from "./store.ts";

const PROTOCOL_OF: Record<ProviderType, Protocol> = {
  anthropic: "anthropic",
  "vendor-a": "anthropic",
  "openai-compatible": "openai-compatible",
  "vendor-b-compatible": "openai-compatible",
  // It sends nothing, so it speaks none.
  example: "openai-compatible",
};

const ANTHROPIC_ADDRESS = "https://api.anthropic.com";

export interface ProvidersDeps {
  db: Db;
  store: CatalogStore;
  keys: ProviderKeys;
  audit: Audit;
  clock: Clock;
  ownListener: OwnListener;
  resolve: Resolve;
  hasProxy: boolean;
  fetch: Fetch;
}

export class Providers {
  readonly #deps: ProvidersDeps;

  constructor(deps: ProvidersDeps) {
    this.#deps = deps;
  }

  list(): Provider[] {
    return this.#deps.store.providers.all().map(toProvider);
  }

  /** Admin. Raises `invalid`, `conflict` (name taken), `refused` (our own address, too many). */
  async create(caller: Caller, input: CreateProvider): Promise<Provider> {
    const { db, store, audit, clock } = this.#deps;
    requireAdmin(caller);
    const name = parseName("name", input.name);
    const protocol = PROTOCOL_OF[input.type];
    const isExample = input.type === "example";
    if (isExample) requireExampleProvider(input);
    const baseUrl = isExample ? "" : parseBaseUrl(input.base_url ?? "", protocol);
    const key = parseKey(input.api_key ?? "");
    if (!isExample) await this.#requireAllowed(baseUrl);
    return db.write(() => {
      requireAdmin(caller);
      this.#requireFreeName(name.key, name.text);
      if (store.providerCount.get()!.count >= PROVIDERS_MAX) {
        throw new AppError("refused", `there are already ${PROVIDERS_MAX} providers; delete one first`);
      }
      const { id } = store.insertProvider.get({
        name: name.text,
        name_key: name.key,
        type: input.type,
        protocol,
        base_url: baseUrl,
        api_key: "",
        created_at: clock.now(),
      })!;
      const detail = { name: name.text, type: input.type, base_url: baseUrl };
      audit.record(caller, { action: "provider.create", target: `provider:${id}`, detail });
      this.#setKey(caller, store.providerById.get(id)!, key);
      return toProvider(this.#existing(id));
    });
  }

  /** Admin. An absent field is unchanged; an empty key clears the stored one. Raises `invalid`, `conflict`, `not_found`, `refused`. */
  async update(caller: Caller, id: number, input: UpdateProvider): Promise<Provider> {
    const { db, store, audit } = this.#deps;
    requireAdmin(caller);
    const name = input.name === undefined ? undefined : parseName("name", input.name);
    const key = input.api_key === undefined ? undefined : parseKey(input.api_key);
    // The type never changes, so it is safe to read it before the write.
    const { protocol, type } = this.#existing(id);
    if (type === "example") throw exampleIsFixed();
    const baseUrl = input.base_url === undefined ? undefined : parseBaseUrl(input.base_url, protocol);
    if (baseUrl !== undefined) await this.#requireAllowed(baseUrl);
    return db.write(() => {
      requireAdmin(caller);
      const provider = this.#existing(id);
      if (name) this.#requireFreeName(name.key, name.text, id);
      if (baseUrl !== undefined && baseUrl !== provider.base_url && key === undefined) requireNoKey(provider);
      const before = { name: provider.name, base_url: provider.base_url };
      const after = { name: name?.text ?? before.name, base_url: baseUrl ?? before.base_url };
      const changes = changesOf(before, after);
      if (Object.keys(changes).length > 0) {
        store.updateProvider.run({ id, ...after, name_key: nameKey(after.name) });
        audit.record(caller, { action: "provider.update", target: `provider:${id}`, detail: changes });
      }
      if (key !== undefined) this.#setKey(caller, provider, key);
      return toProvider(this.#existing(id));
    });
  }

  /** Returns, at start, the providers whose key cannot be opened, by reason. Only requests to these providers will fail. */
  lockedKeys(): { error: string; providers: string }[] {
    const { store, keys } = this.#deps;
    const locked = new Map<string, number[]>();
    for (const { id, api_key } of store.storedKeys.all()) {
      try {
        keys.open(api_key, id);
      } catch (error) {
        const problem = messageOf(error);
        locked.set(problem, [...(locked.get(problem) ?? []), id]);
      }
    }
    return [...locked].map(([error, ids]) => ({ error, providers: ids.join(",") }));
  }

  /** Admin. Erases the key too. Raises `conflict` while the provider has models, `not_found`. */
  remove(caller: Caller, id: number): Promise<void> {
    const { db, store, audit, clock } = this.#deps;
    return db.write(() => {
      requireAdmin(caller);
      const provider = this.#existing(id);
      const models = store.modelsOf.get(id)!.count;
      if (models > 0) {
        const has = `the provider has ${plural(models, "model")}`;
        throw new AppError("conflict", `${has}; delete its models first`, { models });
      }
      store.deleteProvider.run(clock.now(), id);
      audit.record(caller, {
        action: "provider.delete",
        target: `provider:${id}`,
        detail: { name: provider.name },
      });
    });
  }

  /**
   * Admin, because it sends the key. Lists the provider's models; a provider's failure is a result. Raises `not_found`, `refused` (the
   * address now leads to this service), `conflict` (the provider changed meanwhile).
   */
  async test(caller: Caller, id: number): Promise<ProviderTest> {
    const { store, fetch, keys } = this.#deps;
    requireAdmin(caller);
    const { base_url: checked, type } = this.#existing(id);
    if (type === "example") return EXAMPLE_TEST;
    const destination = await this.destination(checked);
    // Check again before sending the key: resolving the name took time.
    requireAdmin(caller);
    const access = store.providerAccess.get(id);
    if (!access) throw notFound("provider", id);
    if (access.base_url !== checked)
      throw new AppError("conflict", "the provider was changed in the meantime; test it again");
    let apiKey: string;
    try {
      apiKey = keys.open(access.api_key, id);
    } catch (error) {
      return failure(null, messageOf(error));
    }
    if (!destination) return failure(null, HOST_NOT_FOUND);
    const { url: baseUrl, headers } = destination;
    return listProviderModels({ protocol: access.protocol, baseUrl, headers, apiKey }, fetch);
  }

  /** Returns where a request to this URL of a provider goes. Raises as `refuseForbiddenAddress`. Undefined: its name has no address. */
  destination(url: string): Promise<Destination | undefined> {
    return destinationOf(url, this.#deps);
  }

  #requireAllowed(baseUrl: string): Promise<void> {
    const { ownListener, resolve } = this.#deps;
    return refuseForbiddenAddress(baseUrl, ownListener, resolve);
  }

  #existing(id: number): ProviderRow {
    const provider = this.#deps.store.providerById.get(id);
    if (!provider) throw notFound("provider", id);
    return provider;
  }

  #requireFreeName(key: string, text: string, exceptId?: number): void {
    const other = this.#deps.store.providerByKey.get(key);
    if (other && other.id !== exceptId)
      throw fieldError("conflict", "name", `a provider named "${text}" already exists`);
  }

  /** Stores the key inside a write, and records how it changed but nothing of it. Raises `unavailable` or `invalid` for the key file. */
  #setKey(caller: Caller, provider: ProviderRow, key: string): void {
    const { store, audit, keys } = this.#deps;
    if (key === "" && !provider.has_key) return;
    store.setKey.run(keys.seal(key, provider.id), provider.id);
    const change = key === "" ? "cleared" : provider.has_key ? "replaced" : "set";
    audit.record(caller, { action: "provider.key", target: `provider:${provider.id}`, detail: { change } });
  }
}

function requireNoKey(provider: ProviderRow): void {
  if (!provider.has_key) return;
  throw fieldError(
    "invalid",
    "base_url",
    'the stored key must not be sent to another address; set api_key in the same request ("" clears it)',
  );
}

/** The path of a request, which people copy from examples along with the address. */
const REQUEST_PATH: Record<Protocol, RegExp> = {
  anthropic: /\/(?:messages|models)$/,
  "openai-compatible": /\/(?:chat\/completions|responses|models)$/,
};

/** Normalises an address: strips trailing slashes and the path of a request. Empty means the protocol's default. Raises `invalid`. */
function parseBaseUrl(input: string, protocol: Protocol): string {
  const text = input.trim();
  if (text === "") {
    if (protocol === "anthropic") return ANTHROPIC_ADDRESS;
    throw new AppError("invalid", "base_url is required for openai-compatible providers", {
      field: "base_url",
      problem: "is required for openai-compatible providers",
    });
  }
  if (text.length > BASE_URL_CHARACTERS_MAX) throw tooLong();
  const url = /^https?:\/\/[^/\\]/i.test(text) && !/[\s\p{Cc}]/u.test(text) ? URL.parse(text) : null;
  if (!url) throw fieldError("invalid", "base_url", "must be an absolute http or https address");
  if (url.username !== "" || url.password !== "") {
    throw fieldError("invalid", "base_url", "must not contain credentials; the key belongs in api_key");
  }
  if (/[?#]/.test(text)) throw fieldError("invalid", "base_url", "must not have a query or fragment");
  const address = `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  const normal = address.replace(REQUEST_PATH[protocol], "");
  if (normal.length > BASE_URL_CHARACTERS_MAX) throw tooLong();
  return normal;
}

function tooLong(): AppError {
  return fieldError("invalid", "base_url", `at most ${BASE_URL_CHARACTERS_MAX} characters`);
}

/** Validates a key for use in a header. It is never trimmed, so that white space cannot clear a key by accident. */
function parseKey(key: string): string {
  if (key.length > API_KEY_CHARACTERS_MAX) {
    throw fieldError("invalid", "api_key", `at most ${API_KEY_CHARACTERS_MAX} characters`);
  }
  if (!/^[\x21-\x7e]*$/.test(key)) {
    throw fieldError("invalid", "api_key", "must be printable ASCII without spaces or line breaks");
  }
  return key;
}

function toProvider(row: ProviderRow): Provider {
  return { id: row.id, name: row.name, type: row.type, base_url: row.base_url, has_key: row.has_key === 1 };
}
