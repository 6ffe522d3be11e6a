-- Pages of what a workspace has said, newest first, without sorting all of it.
CREATE INDEX entries_workspace ON entries (workspace_id, id);

-- Usage is summed from the index alone.
DROP INDEX calls_agent;
CREATE INDEX calls_usage
  ON calls (workspace_id, agent_id, status, input_tokens, cached_input_tokens, output_tokens, cost_nano);

-- A workspace and what goes with it, also agents that were removed.
CREATE INDEX agents_workspace ON agents (workspace_id);
CREATE INDEX runs_workspace ON runs (workspace_id);
CREATE INDEX tool_calls_workspace ON tool_calls (workspace_id);
