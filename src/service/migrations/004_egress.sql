-- Lock 2 of web search: an operator's grant to one agent. A clone of the workspace does not get it.
CREATE TABLE egress_grants (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  agent_id INTEGER NOT NULL UNIQUE REFERENCES agents (id) ON DELETE CASCADE,
  granted_by_id INTEGER NOT NULL,
  granted_by TEXT NOT NULL,
  auth TEXT NOT NULL CHECK (auth IN ('loopback', 'session', 'token')),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX egress_grants_workspace ON egress_grants (workspace_id);

-- Lock 3: one row for each search that an agent asked for, with the exact query that a person decides on. These rows are the record of
-- what left this installation, so they refer to nothing and stay when a workspace goes.
CREATE TABLE egress_requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  call_id TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL,
  workspace TEXT NOT NULL,
  turn_id INTEGER NOT NULL,
  run_id INTEGER NOT NULL,
  agent_id INTEGER NOT NULL,
  chain TEXT NOT NULL,
  asked_by_id INTEGER NOT NULL,
  asked_by TEXT NOT NULL,
  query TEXT NOT NULL,
  query_hash TEXT NOT NULL,
  facts TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'refused', 'expired', 'done', 'failed')),
  asked_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,
  decided_by_id INTEGER,
  decided_by TEXT,
  auth TEXT CHECK (auth IN ('loopback', 'session', 'token')),
  reason TEXT,
  started_at INTEGER,
  finished_at INTEGER,
  results INTEGER
) STRICT;
CREATE INDEX egress_requests_open ON egress_requests (expires_at) WHERE state IN ('pending', 'approved');
