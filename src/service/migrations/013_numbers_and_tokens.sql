-- People count the turns of one workspace: 1, 2, 3. The id counts those of the server.
ALTER TABLE turns ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE turns SET number = counted.number
FROM (SELECT id, row_number() OVER (PARTITION BY workspace_id ORDER BY id) AS number FROM turns) counted
WHERE counted.id = turns.id;

-- An answer keeps the tokens of its model call: the last one of its run that had ended, give or take the rounding of its duration.
ALTER TABLE entries ADD COLUMN input_tokens INTEGER;
ALTER TABLE entries ADD COLUMN output_tokens INTEGER;
UPDATE entries SET (input_tokens, output_tokens) = (
  SELECT c.input_tokens, c.output_tokens FROM calls c
  WHERE c.run_id = entries.run_id AND c.started_at + coalesce(c.duration_ms, 0) <= entries.created_at + 1 ORDER BY c.id DESC LIMIT 1)
WHERE kind = 'agent';

-- Spending without a known cost is not free.
ALTER TABLE spending ADD COLUMN unpriced_calls INTEGER NOT NULL DEFAULT 0;
UPDATE spending SET unpriced_calls = 1 WHERE cost_nano = 0 AND tokens > 0;
