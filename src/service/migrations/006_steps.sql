-- How long a tool call took, beside its result: null when it never started, or when its end is not known.
ALTER TABLE entries ADD COLUMN duration_ms INTEGER;
UPDATE entries SET duration_ms = (SELECT c.finished_at - c.started_at FROM tool_calls c WHERE c.call_id = entries.call_id)
WHERE kind = 'tool' AND outcome <> 'unknown';

-- A worker's task names the call that gave it.
UPDATE entries SET call_id = (SELECT r.parent_call_id FROM runs r WHERE r.id = entries.run_id) WHERE kind = 'task';

-- From a turn to the gears that ran in it.
CREATE INDEX gear_runs_turn ON gear_runs (turn_id) WHERE turn_id IS NOT NULL;

-- The most tokens that a model may say in one answer; null: as its provider has it.
ALTER TABLE models ADD COLUMN output_tokens INTEGER;
