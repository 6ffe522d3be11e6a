// Rules for models. Anyone signed in reads and creates them; admins change and delete them. Other features look models up here.

import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, fieldError, notFound } from "../../kit/error.ts";
import { plural } from "../../kit/text/amounts.ts";
import type { Audit } from "../audit/audit.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";
import { changesOf } from "./changes.ts";
import { exampleIsFixed, requireExampleModel } from "./example.ts";
import type { ProviderKeys } from "./keys.ts";
import {
  CONTEXT_TOKENS_MAX,
  MODEL_NAME_CHARACTERS_MAX,
  MODELS_MAX,
  PRICE_PER_MILLION_TOKENS_MAX,
  type CreateModel,
  type Model,
  type Protocol,
  type UpdateModel,
} from "./schema.ts";
import { acceptsOf, type Accepts } from "./abilities.ts";
import type { CatalogStore, ModelFields, ModelRow, RefusedInput } from "./store.ts";

/** Prices per million tokens; null means unknown. */
export interface Prices {
  readonly input: number | null;
  readonly cachedInput: number | null;
  readonly output: number | null;
}

/** Everything a model call needs. Contains the key, so it is for the llm module only and is never serialised, logged or stored. */
export interface ModelEndpoint {
  readonly modelId: number;
  readonly modelName: string;
  readonly label: string;
  readonly protocol: Protocol;
  readonly providerId: number;
  readonly providerName: string;
  /** The built-in example answers from a script, and no request is sent. */
  readonly isExample?: boolean;
  /** Without a trailing slash. Anthropic's paths add `/v1`; the other protocol's are appended directly. */
  readonly baseUrl: string;
  /** Empty when there is none. */
  readonly apiKey: string;
  readonly prices: Prices;
  readonly contextTokens: number | null;
  /** The most tokens in one answer; null sets no limit. */
  readonly outputTokens: number | null;
  readonly accepts: Accepts;
}

/** A model as a reader of attachments. */
export interface Reader extends Pick<ModelEndpoint, "label" | "protocol" | "accepts"> {
  readonly id: number;
}

/** Named when a model is still in use. */
const AGENTS_NAMED_MAX = 5;

export interface ModelsDeps {
  db: Db;
  store: CatalogStore;
  keys: ProviderKeys;
  audit: Audit;
  clock: Clock;
  /** The number of agents that use a model, which cannot be deleted while there are any, and the first `limit` of them. */
  agentsWith: (
    modelId: number,
    limit: number,
  ) => { count: number; first: readonly { agent: string; workspace: string }[] };
}

export class Models {
  readonly #deps: ModelsDeps;

  constructor(deps: ModelsDeps) {
    this.#deps = deps;
  }

  list(): Model[] {
    const rows = this.#deps.store.models.all();
    const named = Map.groupBy(rows, ({ label }) => label);
    return rows.map((row) => toModel(row, named.get(row.label)!));
  }

  /** For other features, including inside their writes. Raises `not_found`. */
  existing(id: number): Model {
    const row = this.#row(id);
    return toModel(row, this.#deps.store.namesakes.all(row.label));
  }

  /** How a model reads attachments. Also works for a deleted model, which an agent that was removed may still name. */
  readerOf(id: number): Reader {
    const row = this.#deps.store.modelById.get(id);
    if (!row)
      return {
        id,
        label: this.labelOf(id),
        protocol: "openai-compatible",
        accepts: { images: false, pdfs: false },
      };
    return { id, label: row.label, protocol: row.protocol, accepts: acceptsOf(row) };
  }

  /** Inside a write: the provider refused this input, so it is no longer sent until an admin says otherwise. */
  noteRefused(id: number, input: RefusedInput): void {
    const { store, clock } = this.#deps;
    (input === "images" ? store.refusedImages : store.refusedPdfs).run(clock.now(), id);
  }

  #row(id: number): ModelRow {
    const model = this.#deps.store.modelById.get(id);
    if (!model) throw notFound("model", id);
    return model;
  }

  /** Also works for a deleted model, which records may still name. */
  labelOf(id: number): string {
    return this.#deps.store.label.get(id)?.label ?? `model ${id}`;
  }

  /** For the llm module only: the result contains the key. Raises `not_found`; `unavailable` or `invalid` when the key cannot be opened. */
  endpoint(id: number): ModelEndpoint {
    const { store, keys } = this.#deps;
    const row = store.endpoint.get(id);
    if (!row) throw notFound("model", id);
    return {
      modelId: row.id,
      modelName: row.model_name,
      label: row.label,
      protocol: row.protocol,
      isExample: row.provider_type === "example",
      providerId: row.provider_id,
      providerName: row.provider_name,
      baseUrl: row.base_url,
      apiKey: keys.openForCall(row.api_key, { id: row.provider_id, name: row.provider_name }),
      prices: { input: row.input_price, cachedInput: row.cached_input_price, output: row.output_price },
      contextTokens: row.context_tokens,
      outputTokens: row.output_tokens,
      accepts: acceptsOf(row),
    };
  }

  /** Anyone signed in. Raises `invalid`, `not_found` (provider), `conflict` (the provider already has it), `refused` (too many). */
  create(caller: Caller, input: CreateModel): Promise<Model> {
    const { db, store, audit, clock } = this.#deps;
    const fields = parseFields(input, {
      model_name: "",
      label: "",
      context_tokens: null,
      output_tokens: null,
      input_price: null,
      cached_input_price: null,
      output_price: null,
      images: null,
      pdfs: null,
    });
    return db.write(() => {
      const provider = store.providerById.get(input.provider_id);
      if (!provider) throw notFound("provider", input.provider_id);
      if (provider.type === "example") requireExampleModel(input);
      if (store.modelCount.get()!.count >= MODELS_MAX) {
        throw new AppError("refused", `there are already ${MODELS_MAX} models; delete one first`);
      }
      this.#requireFreeName(provider.id, fields.model_name);
      const { id } = store.insertModel.get({ ...fields, provider_id: provider.id, created_at: clock.now() })!;
      const detail = { provider_id: provider.id, ...fields };
      audit.record(caller, { action: "model.create", target: `model:${id}`, detail });
      return this.existing(id);
    });
  }

  /** Admin. An absent field is unchanged; null makes a figure unknown. Raises `invalid`, `not_found`, `conflict`. */
  update(caller: Caller, id: number, input: UpdateModel): Promise<Model> {
    const { db, store, audit } = this.#deps;
    return db.write(() => {
      requireAdmin(caller);
      const model = this.#row(id);
      if (model.provider_type === "example") throw exampleIsFixed();
      const fields = parseFields(input, model);
      const changes = changesOf<ModelFields>(model, fields);
      if (Object.keys(changes).length > 0) {
        this.#requireFreeName(model.provider_id, fields.model_name, id);
        store.updateModel.run({ ...fields, id });
        audit.record(caller, { action: "model.update", target: `model:${id}`, detail: changes });
      }
      return this.existing(id);
    });
  }

  /** Allows one entry per model: two could have different prices. */
  #requireFreeName(providerId: number, name: string, exceptId?: number): void {
    const other = this.#deps.store.modelNamed.get(providerId, name);
    if (!other || other.id === exceptId) return;
    throw fieldError(
      "conflict",
      "model_name",
      `the provider already has the model "${name}" in the catalog`,
      {
        model_id: other.id,
      },
    );
  }

  /** Admin. Raises `conflict` while agents use it, `not_found`. */
  remove(caller: Caller, id: number): Promise<void> {
    const { db, store, audit, clock, agentsWith } = this.#deps;
    return db.write(() => {
      requireAdmin(caller);
      const model = this.existing(id);
      const { count, first } = agentsWith(id, AGENTS_NAMED_MAX);
      if (count > 0) throw stillUsed(count, first);
      store.deleteModel.run(clock.now(), id);
      const detail = { model_name: model.model_name, label: model.label };
      audit.record(caller, { action: "model.delete", target: `model:${id}`, detail });
    });
  }
}

function stillUsed(count: number, first: readonly { agent: string; workspace: string }[]): AppError {
  const names = first.map(({ agent, workspace }) => `${agent} in ${workspace}`);
  const more = count > names.length ? ` and ${count - names.length} more` : "";
  const users = plural(count, "agent uses", "agents use");
  return new AppError(
    "conflict",
    `${users} the model: ${names.join(", ")}${more}; choose another model there first`,
    { agents: count },
  );
}

/** Validates `input` and merges it over `current`. An empty label becomes the model's name. Raises `invalid` naming the field. */
function parseFields(input: UpdateModel, current: ModelFields): ModelFields {
  const modelName =
    input.model_name === undefined ? current.model_name : parseText("model_name", input.model_name);
  const label = input.label ?? current.label;
  return {
    model_name: modelName,
    label: label.trim() === "" ? modelName : parseText("label", label),
    context_tokens: tokens("context_tokens", input.context_tokens, current.context_tokens),
    output_tokens: tokens("output_tokens", input.output_tokens, current.output_tokens),
    input_price: price("input_price", input.input_price, current.input_price),
    cached_input_price: price("cached_input_price", input.cached_input_price, current.cached_input_price),
    output_price: price("output_price", input.output_price, current.output_price),
    images: ability(input.images, current.images),
    pdfs: ability(input.pdfs, current.pdfs),
  };
}

function ability(given: boolean | null | undefined, current: 0 | 1 | null): 0 | 1 | null {
  if (given === undefined) return current;
  return given === null ? null : given ? 1 : 0;
}

/**
 * Two models may have one label: the same model of two providers usually does. `namesakes`: all models with the label of `row`, itself included.
 */
function distinctLabel(row: ModelRow, namesakes: readonly Pick<ModelRow, "provider_id">[]): string {
  const label = row.label === "" ? row.model_name : row.label;
  if (namesakes.length < 2) return label;
  const isAlone = namesakes.filter(({ provider_id: of }) => of === row.provider_id).length < 2;
  return `${label} (${isAlone ? row.provider_name : `${row.provider_name}, ${row.model_name}`})`;
}

function toModel(row: ModelRow, namesakes: readonly Pick<ModelRow, "provider_id">[]): Model {
  const { protocol: _, base_url: __, images_refused_at: ___, pdfs_refused_at: ____, ...model } = row;
  const said = (stored: 0 | 1 | null) => (stored === null ? null : stored === 1);
  return {
    ...model,
    distinct_label: distinctLabel(row, namesakes),
    images: said(row.images),
    pdfs: said(row.pdfs),
    accepts: acceptsOf(row),
  };
}

function parseText(field: "model_name" | "label", input: string): string {
  const text = input.normalize("NFC").trim();
  const length = [...text].length;
  if (length === 0) throw fieldError("invalid", field, "must not be empty");
  if (length > MODEL_NAME_CHARACTERS_MAX) {
    throw fieldError("invalid", field, `at most ${MODEL_NAME_CHARACTERS_MAX} characters`);
  }
  if (/[\p{Cc}\p{Cs}]/u.test(text)) throw fieldError("invalid", field, "must not contain control characters");
  return text;
}

function tokens(field: string, given: number | null | undefined, current: number | null): number | null {
  return figure(field, given, current, { min: 1, max: CONTEXT_TOKENS_MAX });
}

function price(field: string, given: number | null | undefined, current: number | null): number | null {
  return figure(field, given, current, { min: 0, max: PRICE_PER_MILLION_TOKENS_MAX });
}

function figure(
  field: string,
  given: number | null | undefined,
  current: number | null,
  { min, max }: { min: number; max: number },
): number | null {
  if (given === undefined) return current;
  if (given === null || (given >= min && given <= max)) return given;
  throw fieldError("invalid", field, `must be from ${min} to ${max}, or empty (null) if unknown`);
}
