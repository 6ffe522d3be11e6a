-- The library: instructions with all their versions. The row holds the current one; `name_key` is the folded name.
CREATE TABLE instructions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL,
  version INTEGER NOT NULL,
  author_id INTEGER NOT NULL,
  author TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE instruction_versions (
  instruction_id INTEGER NOT NULL REFERENCES instructions (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  hash TEXT NOT NULL,
  author TEXT NOT NULL,
  proposed_by TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (instruction_id, version)
) STRICT, WITHOUT ROWID;

-- What is put in front of which agents; `agent_id` null: all of the workspace. Always the current version.
CREATE TABLE instruction_bindings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  instruction_id INTEGER NOT NULL REFERENCES instructions (id) ON DELETE CASCADE,
  agent_id INTEGER REFERENCES agents (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX instruction_bindings_one ON instruction_bindings (workspace_id, instruction_id, coalesce(agent_id, 0));
CREATE INDEX instruction_bindings_instruction ON instruction_bindings (instruction_id);
CREATE INDEX instruction_bindings_agent ON instruction_bindings (agent_id) WHERE agent_id IS NOT NULL;

-- What agents would like the library to say; a person decides. `base_version` null: a new instruction.
CREATE TABLE instruction_proposals (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  instruction_id INTEGER REFERENCES instructions (id) ON DELETE SET NULL,
  base_version INTEGER,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  text TEXT NOT NULL,
  hash TEXT NOT NULL,
  agent TEXT NOT NULL,
  user_id INTEGER NOT NULL,
  user_name TEXT NOT NULL,
  turn_id INTEGER,
  tainted INTEGER NOT NULL CHECK (tainted IN (0, 1)),
  status TEXT NOT NULL CHECK (status IN ('pending', 'accepted', 'refused')),
  decided_by TEXT,
  decided_auth TEXT CHECK (decided_auth IN ('loopback', 'session', 'token')),
  decided_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX instruction_proposals_pending ON instruction_proposals (id) WHERE status = 'pending';
CREATE INDEX instruction_proposals_workspace ON instruction_proposals (workspace_id, id);
CREATE INDEX instruction_proposals_instruction ON instruction_proposals (instruction_id) WHERE instruction_id IS NOT NULL;
