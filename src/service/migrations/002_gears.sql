-- Gears: small programs that agents call. A deleted one stays as a row, without being found by name: its runs tell of it.
-- What is approved is a content hash, recorded with who approved it and how they were authenticated.
CREATE TABLE gears (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  tags TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'disabled')),
  version INTEGER NOT NULL,
  timeout_seconds INTEGER NOT NULL,
  tests TEXT NOT NULL,
  author_id INTEGER NOT NULL,
  author TEXT NOT NULL,
  forged_by TEXT,
  workspace_id INTEGER REFERENCES workspaces (id) ON DELETE SET NULL,
  approved_hash TEXT,
  approved_by_id INTEGER,
  approved_by TEXT,
  approved_auth TEXT CHECK (approved_auth IN ('loopback', 'session', 'token')),
  approved_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  CHECK ((status = 'approved') = (approved_hash IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX gears_name ON gears (name) WHERE deleted_at IS NULL;
CREATE INDEX gears_pending ON gears (updated_at) WHERE status = 'pending' AND deleted_at IS NULL;

CREATE TABLE gear_versions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  gear_id INTEGER NOT NULL REFERENCES gears (id),
  version INTEGER NOT NULL,
  runtime TEXT NOT NULL CHECK (runtime IN ('python', 'node', 'bash', 'binary')),
  entrypoint TEXT NOT NULL,
  args_schema TEXT NOT NULL,
  hash TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  author_id INTEGER NOT NULL,
  author TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (gear_id, version)
) STRICT;

CREATE TABLE gear_files (
  version_id INTEGER NOT NULL REFERENCES gear_versions (id),
  path TEXT NOT NULL,
  encoding TEXT NOT NULL CHECK (encoding IN ('utf8', 'base64')),
  content BLOB NOT NULL,
  PRIMARY KEY (version_id, path)
) STRICT;

-- Which agents of which workspace may call a gear; `agent_id` null: all of them.
CREATE TABLE gear_bindings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  gear_id INTEGER NOT NULL REFERENCES gears (id),
  agent_id INTEGER REFERENCES agents (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX gear_bindings_one ON gear_bindings (workspace_id, gear_id, coalesce(agent_id, 0));
CREATE INDEX gear_bindings_gear ON gear_bindings (gear_id);
CREATE INDEX gear_bindings_agent ON gear_bindings (agent_id);

-- Every run, kept for ever: no reference takes a run away with what it names.
CREATE TABLE gear_runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  gear_id INTEGER NOT NULL REFERENCES gears (id),
  version INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('run', 'dry', 'test', 'tool')),
  status TEXT NOT NULL CHECK (status IN ('running', 'done', 'cancelled', 'failed', 'interrupted')),
  workspace_id INTEGER,
  agent TEXT,
  turn_id INTEGER,
  call_id TEXT,
  user_id INTEGER NOT NULL,
  user_name TEXT NOT NULL,
  auth TEXT NOT NULL CHECK (auth IN ('loopback', 'session', 'token')),
  isolated INTEGER NOT NULL CHECK (isolated IN (0, 1)),
  args TEXT NOT NULL,
  files TEXT NOT NULL,
  exit_code INTEGER,
  stdout TEXT,
  stderr TEXT,
  timed_out INTEGER,
  truncated INTEGER,
  duration_ms INTEGER,
  error TEXT,
  started_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
CREATE INDEX gear_runs_gear ON gear_runs (gear_id, id);
CREATE INDEX gear_runs_open ON gear_runs (status) WHERE status = 'running';
