-- Documents of the space that stand in the prompts of a workspace, or of one agent.
CREATE TABLE context_bindings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspace_rows (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  agent_id INTEGER REFERENCES agents (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX context_bindings_one ON context_bindings (workspace_id, path, coalesce(agent_id, 0));
CREATE INDEX context_bindings_agent ON context_bindings (agent_id) WHERE agent_id IS NOT NULL;

-- The folder of an agent in its workspace's branch. Frozen when it is first needed: a renamed agent keeps its memory.
CREATE TABLE agent_branches (
  agent_id INTEGER PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
  workspace_id INTEGER NOT NULL REFERENCES workspace_rows (id) ON DELETE CASCADE,
  branch TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX agent_branches_one ON agent_branches (workspace_id, branch);
