-- A workspace that is being copied or deleted has rows, step by step, and nobody sees it: `workspaces` is those that are live. `coming`: a
-- clone that is not whole yet; `going`: deleted, its rows follow. After a crash both go.
ALTER TABLE workspaces RENAME TO workspace_rows;
ALTER TABLE workspace_rows ADD COLUMN state TEXT NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'coming', 'going'));
CREATE INDEX workspace_rows_not_live ON workspace_rows (id) WHERE state <> 'live';
CREATE VIEW workspaces AS
  SELECT id, name, name_key, description, branch, shared_branch, owner_id, budget, created_at FROM workspace_rows WHERE state = 'live';

-- What refers to a row that goes is looked for by these. Without them each such row is a scan of all that every workspace has.
CREATE INDEX turns_blueprint ON turns (blueprint_id);
CREATE INDEX runs_parent ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL;
CREATE INDEX runs_agent ON runs (agent_id);
CREATE INDEX entries_run ON entries (run_id);
CREATE INDEX entries_agent ON entries (agent_id);
CREATE INDEX tool_calls_turn ON tool_calls (turn_id);
CREATE INDEX calls_run ON calls (run_id);
CREATE INDEX calls_agent ON calls (agent_id);
CREATE INDEX gears_workspace ON gears (workspace_id) WHERE workspace_id IS NOT NULL;
