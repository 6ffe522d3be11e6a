// SQL of the catalog: providers, models. Rows in, rows out; no rules. Deleted rows are invisible to every query here.
// Only `providerAccess`, `endpoint` and `storedKeys` read keys, which are sealed.

import type { Db } from "../../kit/storage/db.ts";
import type { Protocol, ProviderType } from "./schema.ts";

export interface ProviderRow {
  id: number;
  name: string;
  type: ProviderType;
  protocol: Protocol;
  base_url: string;
  has_key: 0 | 1;
}

/** The columns that a request to the provider needs. */
interface ProviderAccessRow {
  protocol: Protocol;
  base_url: string;
  /** Sealed (keys.ts); empty for none. */
  api_key: string;
}

/** The columns of a model that an update can change. */
export interface ModelFields {
  model_name: string;
  label: string;
  context_tokens: number | null;
  output_tokens: number | null;
  input_price: number | null;
  cached_input_price: number | null;
  output_price: number | null;
  images: 0 | 1 | null;
  pdfs: 0 | 1 | null;
}

export interface ModelRow extends ModelFields {
  id: number;
  provider_id: number;
  provider_name: string;
  provider_type: ProviderType;
  protocol: Protocol;
  base_url: string;
  images_refused_at: number | null;
  pdfs_refused_at: number | null;
}

/** A model with the columns that a call needs. */
type EndpointRow = ModelRow & ProviderAccessRow;

export type RefusedInput = "images" | "pdfs";

interface NewProvider {
  name: string;
  name_key: string;
  type: ProviderType;
  protocol: Protocol;
  base_url: string;
  api_key: string;
  created_at: number;
}

const PROVIDER =
  "SELECT id, name, type, protocol, base_url, api_key <> '' AS has_key FROM providers WHERE deleted_at IS NULL";
const MODEL_COLUMNS = `m.id, m.provider_id, p.name AS provider_name, p.type AS provider_type, m.model_name, m.label,
  m.context_tokens, m.output_tokens, m.input_price, m.cached_input_price, m.output_price, m.images, m.pdfs, m.images_refused_at,
  m.pdfs_refused_at, p.protocol, p.base_url`;
const MODEL_TABLES = "FROM models m JOIN providers p ON p.id = m.provider_id WHERE m.deleted_at IS NULL";

export type CatalogStore = ReturnType<typeof catalogStore>;

export function catalogStore(db: Db) {
  return {
    providerById: db.query<ProviderRow, [number]>(`${PROVIDER} AND id = ?`),
    providerByKey: db.query<ProviderRow, [string]>(`${PROVIDER} AND name_key = ?`),
    providers: db.query<ProviderRow, []>(`${PROVIDER} ORDER BY name_key`),
    providerCount: db.query<{ count: number }, []>(
      "SELECT count(*) AS count FROM providers WHERE deleted_at IS NULL",
    ),
    providerAccess: db.query<ProviderAccessRow, [number]>(
      "SELECT protocol, base_url, api_key FROM providers WHERE deleted_at IS NULL AND id = ?",
    ),
    insertProvider: db.query<{ id: number }, NewProvider>(
      `INSERT INTO providers (name, name_key, type, protocol, base_url, api_key, created_at)
       VALUES ($name, $name_key, $type, $protocol, $base_url, $api_key, $created_at) RETURNING id`,
    ),
    updateProvider: db.query<never, { id: number; name: string; name_key: string; base_url: string }>(
      "UPDATE providers SET name = $name, name_key = $name_key, base_url = $base_url WHERE id = $id",
    ),
    setKey: db.query<never, [string, number]>("UPDATE providers SET api_key = ? WHERE id = ?"),
    storedKeys: db.query<{ id: number; api_key: string }, []>(
      "SELECT id, api_key FROM providers WHERE api_key <> '' ORDER BY id",
    ),
    deleteProvider: db.query<never, [number, number]>(
      "UPDATE providers SET deleted_at = ?, api_key = '' WHERE id = ?",
    ),
    modelsOf: db.query<{ count: number }, [number]>(
      "SELECT count(*) AS count FROM models WHERE provider_id = ? AND deleted_at IS NULL",
    ),

    modelById: db.query<ModelRow, [number]>(`SELECT ${MODEL_COLUMNS} ${MODEL_TABLES} AND m.id = ?`),
    modelNamed: db.query<{ id: number }, [number, string]>(
      "SELECT id FROM models WHERE provider_id = ? AND model_name = ? AND deleted_at IS NULL",
    ),
    models: db.query<ModelRow, []>(
      `SELECT ${MODEL_COLUMNS} ${MODEL_TABLES} ORDER BY m.label COLLATE NOCASE, m.id`,
    ),
    namesakes: db.query<{ provider_id: number }, [string]>(
      "SELECT provider_id FROM models WHERE label = ? AND deleted_at IS NULL",
    ),
    modelCount: db.query<{ count: number }, []>(
      "SELECT count(*) AS count FROM models WHERE deleted_at IS NULL",
    ),
    label: db.query<{ label: string }, [number]>("SELECT label FROM models WHERE id = ?"),
    endpoint: db.query<EndpointRow, [number]>(
      `SELECT ${MODEL_COLUMNS}, p.api_key ${MODEL_TABLES} AND m.id = ?`,
    ),
    insertModel: db.query<{ id: number }, ModelFields & { provider_id: number; created_at: number }>(
      `INSERT INTO models
       (provider_id, model_name, label, context_tokens, output_tokens, input_price, cached_input_price, output_price, images, pdfs, created_at)
       VALUES ($provider_id, $model_name, $label, $context_tokens, $output_tokens, $input_price, $cached_input_price, $output_price,
         $images, $pdfs, $created_at) RETURNING id`,
    ),
    updateModel: db.query<never, ModelFields & { id: number }>(
      `UPDATE models SET model_name = $model_name, label = $label, context_tokens = $context_tokens, output_tokens = $output_tokens,
         input_price = $input_price, cached_input_price = $cached_input_price, output_price = $output_price, images = $images, pdfs = $pdfs,
         images_refused_at = CASE WHEN $images IS NULL THEN images_refused_at END,
       pdfs_refused_at = CASE WHEN $pdfs IS NULL THEN pdfs_refused_at END WHERE id = $id`,
    ),
    refusedImages: db.query<never, [number, number]>("UPDATE models SET images_refused_at = ? WHERE id = ?"),
    refusedPdfs: db.query<never, [number, number]>("UPDATE models SET pdfs_refused_at = ? WHERE id = ?"),
    deleteModel: db.query<never, [number, number]>("UPDATE models SET deleted_at = ? WHERE id = ?"),
  };
}
