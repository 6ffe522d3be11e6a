// SQL of the catalogue: providers, models. Rows in, rows out; no rules. What is deleted is invisible to every query here.
// The key leaves through `providerAccess`, `endpoint` and `storedKeys` only, sealed.

import type { Db } from "../../kit/db.ts";
import type { Protocol, ProviderType } from "./schema.ts";

export interface ProviderRow {
  id: number;
  name: string;
  type: ProviderType;
  protocol: Protocol;
  base_url: string;
  has_key: 0 | 1;
}

/** What a request to the provider needs. */
export interface ProviderAccessRow {
  protocol: Protocol;
  base_url: string;
  /** Sealed (keys.ts); empty for none. */
  api_key: string;
}

/** What an update may change of a model. */
export interface ModelFields {
  model_name: string;
  label: string;
  context_tokens: number | null;
  output_tokens: number | null;
  input_price: number | null;
  cached_input_price: number | null;
  output_price: number | null;
}

export interface ModelRow extends ModelFields {
  id: number;
  provider_id: number;
  provider_name: string;
  provider_type: ProviderType;
}

/** As the model with what a call needs. */
export type EndpointRow = ModelRow & ProviderAccessRow;

export type ModelColumns = [
  name: string,
  label: string,
  contextTokens: number | null,
  outputTokens: number | null,
  inputPrice: number | null,
  cachedInputPrice: number | null,
  outputPrice: number | null,
];

const PROVIDER =
  "SELECT id, name, type, protocol, base_url, api_key <> '' AS has_key FROM providers WHERE deleted_at IS NULL";
const MODEL_COLUMNS = `m.id, m.provider_id, p.name AS provider_name, p.type AS provider_type, m.model_name, m.label,
  m.context_tokens, m.output_tokens, m.input_price, m.cached_input_price, m.output_price`;
const MODEL_TABLES = "FROM models m JOIN providers p ON p.id = m.provider_id WHERE m.deleted_at IS NULL";

export class CatalogStore {
  readonly providerById;
  readonly providerByKey;
  readonly providers;
  readonly providerCount;
  readonly providerAccess;
  readonly insertProvider;
  readonly updateProvider;
  readonly setKey;
  readonly storedKeys;
  readonly deleteProvider;
  readonly modelsOf;

  readonly modelById;
  readonly modelNamed;
  readonly models;
  readonly modelCount;
  readonly endpoint;
  readonly label;
  readonly insertModel;
  readonly updateModel;
  readonly deleteModel;
  readonly agentsOf;

  constructor(db: Db) {
    this.providerById = db.query<ProviderRow, [number]>(`${PROVIDER} AND id = ?`);
    this.providerByKey = db.query<ProviderRow, [string]>(`${PROVIDER} AND name_key = ?`);
    this.providers = db.query<ProviderRow, []>(`${PROVIDER} ORDER BY name_key`);
    this.providerCount = db.query<{ count: number }, []>(
      "SELECT count(*) AS count FROM providers WHERE deleted_at IS NULL",
    );
    this.providerAccess = db.query<ProviderAccessRow, [number]>(
      "SELECT protocol, base_url, api_key FROM providers WHERE deleted_at IS NULL AND id = ?",
    );
    this.insertProvider = db.query<
      { id: number },
      [string, string, ProviderType, Protocol, string, string, number]
    >(
      `INSERT INTO providers (name, name_key, type, protocol, base_url, api_key, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    );
    this.updateProvider = db.query<never, [string, string, string, number]>(
      "UPDATE providers SET name = ?, name_key = ?, base_url = ? WHERE id = ?",
    );
    this.setKey = db.query<never, [string, number]>("UPDATE providers SET api_key = ? WHERE id = ?");
    this.storedKeys = db.query<{ id: number; api_key: string }, []>(
      "SELECT id, api_key FROM providers WHERE api_key <> '' ORDER BY id",
    );
    this.deleteProvider = db.query<never, [number, number]>(
      "UPDATE providers SET deleted_at = ?, api_key = '' WHERE id = ?",
    );
    this.modelsOf = db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM models WHERE provider_id = ? AND deleted_at IS NULL",
    );

    this.modelById = db.query<ModelRow, [number]>(`SELECT ${MODEL_COLUMNS} ${MODEL_TABLES} AND m.id = ?`);
    this.modelNamed = db.query<{ id: number }, [number, string]>(
      "SELECT id FROM models WHERE provider_id = ? AND model_name = ? AND deleted_at IS NULL",
    );
    this.models = db.query<ModelRow, []>(
      `SELECT ${MODEL_COLUMNS} ${MODEL_TABLES} ORDER BY m.label COLLATE NOCASE, m.id`,
    );
    this.modelCount = db.query<{ count: number }, []>(
      "SELECT count(*) AS count FROM models WHERE deleted_at IS NULL",
    );
    this.label = db.query<{ label: string }, [number]>("SELECT label FROM models WHERE id = ?");
    this.endpoint = db.query<EndpointRow, [number]>(
      `SELECT ${MODEL_COLUMNS}, p.protocol, p.base_url, p.api_key ${MODEL_TABLES} AND m.id = ?`,
    );
    this.insertModel = db.query<{ id: number }, [number, ...ModelColumns, number]>(
      `INSERT INTO models
       (provider_id, model_name, label, context_tokens, output_tokens, input_price, cached_input_price, output_price, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    );
    this.updateModel = db.query<never, [...ModelColumns, number]>(
      `UPDATE models SET model_name = ?, label = ?, context_tokens = ?, output_tokens = ?, input_price = ?, cached_input_price = ?,
       output_price = ? WHERE id = ?`,
    );
    this.deleteModel = db.query<never, [number, number]>("UPDATE models SET deleted_at = ? WHERE id = ?");
    this.agentsOf = db.query<{ count: number }, [number]>(
      `SELECT count(*) AS count FROM agents a JOIN workspaces w ON w.id = a.workspace_id
       WHERE a.model_id = ? AND a.removed_at IS NULL`,
    );
  }
}
