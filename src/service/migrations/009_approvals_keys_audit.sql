-- The description is prompt text of whoever may call the gear, so it belongs to the content that is hashed and approved: each version has
-- its own. Which one an earlier version had was not kept; it gets the gear's. An empty hash is computed anew at start (gears/rehash.ts).
ALTER TABLE gear_versions ADD COLUMN description TEXT NOT NULL DEFAULT '';
UPDATE gear_versions SET hash = '', description = (SELECT g.description FROM gears g WHERE g.id = gear_id);
ALTER TABLE gears DROP COLUMN description;
CREATE INDEX gear_versions_unhashed ON gear_versions (id) WHERE hash = '';

-- Whether gears ran isolated when it was approved; null: there is no approval.
ALTER TABLE gears ADD COLUMN approved_isolated INTEGER CHECK (approved_isolated IN (0, 1));

-- A model is in its provider once. Of doubles the oldest stays, takes the figures that only the others know, and gets their agents.
CREATE TEMP TABLE kept_models AS
  SELECT id, min(id) OVER (PARTITION BY provider_id, model_name) AS kept FROM models WHERE deleted_at IS NULL;
UPDATE models SET
  context_tokens = coalesce(context_tokens, (SELECT d.context_tokens FROM models d JOIN kept_models k ON k.id = d.id WHERE k.kept = models.id AND d.context_tokens IS NOT NULL ORDER BY d.id LIMIT 1)),
  output_tokens = coalesce(output_tokens, (SELECT d.output_tokens FROM models d JOIN kept_models k ON k.id = d.id WHERE k.kept = models.id AND d.output_tokens IS NOT NULL ORDER BY d.id LIMIT 1)),
  input_price = coalesce(input_price, (SELECT d.input_price FROM models d JOIN kept_models k ON k.id = d.id WHERE k.kept = models.id AND d.input_price IS NOT NULL ORDER BY d.id LIMIT 1)),
  cached_input_price = coalesce(cached_input_price, (SELECT d.cached_input_price FROM models d JOIN kept_models k ON k.id = d.id WHERE k.kept = models.id AND d.cached_input_price IS NOT NULL ORDER BY d.id LIMIT 1)),
  output_price = coalesce(output_price, (SELECT d.output_price FROM models d JOIN kept_models k ON k.id = d.id WHERE k.kept = models.id AND d.output_price IS NOT NULL ORDER BY d.id LIMIT 1))
  WHERE id IN (SELECT kept FROM kept_models WHERE id <> kept);
UPDATE agents SET model_id = (SELECT kept FROM kept_models k WHERE k.id = agents.model_id)
  WHERE removed_at IS NULL AND model_id IN (SELECT id FROM kept_models WHERE id <> kept);
UPDATE models SET deleted_at = unixepoch() * 1000 WHERE id IN (SELECT id FROM kept_models WHERE id <> kept);
DROP TABLE kept_models;
CREATE UNIQUE INDEX models_name ON models (provider_id, model_name) WHERE deleted_at IS NULL;

-- Records are stored as canonical JSON from here on; earlier ones in the order in which they were written.
ALTER TABLE audit_head ADD COLUMN canonical_from INTEGER NOT NULL DEFAULT 1;
UPDATE audit_head SET canonical_from = seq + 1;
