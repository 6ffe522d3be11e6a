-- For whom a turn acts: who began it, or who resumed it last. Rights are looked up when they are needed; only the person is kept here.
ALTER TABLE turns ADD COLUMN acting_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turns ADD COLUMN acting_name TEXT NOT NULL DEFAULT '';
ALTER TABLE turns ADD COLUMN acting_auth TEXT NOT NULL DEFAULT 'token' CHECK (acting_auth IN ('loopback', 'session', 'token'));
-- The credential that was presented; null: the loopback privilege. It may be gone by now: logging out ends no turn.
ALTER TABLE turns ADD COLUMN acting_token_id INTEGER;
ALTER TABLE turns ADD COLUMN acting_address TEXT NOT NULL DEFAULT '';
ALTER TABLE turns ADD COLUMN acting_request_id TEXT NOT NULL DEFAULT '';
UPDATE turns SET acting_id = user_id, acting_name = user_name, acting_auth = auth;
-- Why an open turn must not act any more; stays as the error of a turn that was cancelled for it.
ALTER TABLE turns ADD COLUMN stop_reason TEXT;

-- The last answer was cut off by a length limit or a content filter.
ALTER TABLE turns ADD COLUMN truncated INTEGER NOT NULL DEFAULT 0 CHECK (truncated IN (0, 1));
ALTER TABLE entries ADD COLUMN truncated TEXT CHECK (truncated IN ('length', 'content_filter'));
-- JSON array of the names of tool calls that were cut off with it; null: none.
ALTER TABLE entries ADD COLUMN dropped_calls TEXT;

-- The entry holds text from the web, or was written by an agent that had read some. A person takes the mark off.
ALTER TABLE entries ADD COLUMN tainted INTEGER NOT NULL DEFAULT 0 CHECK (tainted IN (0, 1));
UPDATE entries SET tainted = 1 WHERE kind <> 'person' AND EXISTS (
  SELECT 1 FROM turns t WHERE t.id = entries.turn_id AND t.tainted_at IS NOT NULL AND entries.created_at >= t.tainted_at
);
CREATE INDEX entries_tainted ON entries (workspace_id, thread) WHERE tainted = 1 AND forgotten_at IS NULL;

-- Money in billionths of the prices' unit: sums of whole numbers are exact.
ALTER TABLE calls ADD COLUMN cost_nano INTEGER;
UPDATE calls SET cost_nano = CAST(round(cost * 1e9) AS INTEGER);
ALTER TABLE calls DROP COLUMN cost;
ALTER TABLE spending ADD COLUMN cost_nano INTEGER NOT NULL DEFAULT 0;
UPDATE spending SET cost_nano = CAST(round(cost * 1e9) AS INTEGER);
ALTER TABLE spending DROP COLUMN cost;
