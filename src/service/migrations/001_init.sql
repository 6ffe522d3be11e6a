-- People. Names are unique without regard to case and Unicode form: `name_key` is the folded form.
CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('admin', 'team-lead', 'member')),
  password_hash TEXT,
  created_at INTEGER NOT NULL
) STRICT;

-- Only hashes: a lost token can't be recovered. `session` tokens come from a login, `token` ones are made by an admin.
CREATE TABLE tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('token', 'session')),
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;
CREATE INDEX tokens_user ON tokens (user_id);

CREATE TABLE teams (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE team_members (
  team_id INTEGER NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (team_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX team_members_user ON team_members (user_id);

-- The catalogue. The key lives here and nowhere else. What was deleted stays as a row (removed agents and past calls name it),
-- a provider without its key.
CREATE TABLE providers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  type TEXT NOT NULL,
  protocol TEXT NOT NULL CHECK (protocol IN ('anthropic', 'openai-compatible')),
  base_url TEXT NOT NULL,
  api_key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE UNIQUE INDEX providers_name ON providers (name_key) WHERE deleted_at IS NULL;

CREATE TABLE models (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  provider_id INTEGER NOT NULL REFERENCES providers (id),
  model_name TEXT NOT NULL,
  label TEXT NOT NULL,
  context_tokens INTEGER,
  input_price REAL,
  cached_input_price REAL,
  output_price REAL,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE INDEX models_provider ON models (provider_id);

CREATE TABLE workspaces (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  description TEXT NOT NULL,
  branch TEXT NOT NULL,
  shared_branch TEXT NOT NULL,
  owner_id INTEGER NOT NULL REFERENCES users (id),
  budget TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (owner_id, name_key)
) STRICT;

CREATE TABLE workspace_teams (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  team_id INTEGER NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  PRIMARY KEY (workspace_id, team_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX workspace_teams_team ON workspace_teams (team_id);

-- The blueprint: agents as nodes, wires as the permission to delegate. A removed agent stays as a row (its turns name it).
CREATE TABLE agents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  role TEXT NOT NULL,
  model_id INTEGER NOT NULL REFERENCES models (id),
  orchestrator INTEGER NOT NULL CHECK (orchestrator IN (0, 1)),
  x REAL NOT NULL,
  y REAL NOT NULL,
  budget TEXT,
  created_at INTEGER NOT NULL,
  removed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX agents_name ON agents (workspace_id, name_key) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX agents_orchestrator ON agents (workspace_id) WHERE orchestrator = 1;
CREATE INDEX agents_model ON agents (model_id);

CREATE TABLE wires (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  from_agent_id INTEGER NOT NULL REFERENCES agents (id),
  to_agent_id INTEGER NOT NULL REFERENCES agents (id),
  created_at INTEGER NOT NULL,
  UNIQUE (from_agent_id, to_agent_id),
  CHECK (from_agent_id <> to_agent_id)
) STRICT;
CREATE INDEX wires_workspace ON wires (workspace_id);
CREATE INDEX wires_to ON wires (to_agent_id);

-- The blueprint as it was, by content: a turn names the one it began with.
CREATE TABLE blueprints (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  content TEXT NOT NULL,
  UNIQUE (workspace_id, hash)
) STRICT;

-- A turn: one message of a person and everything done about it.
CREATE TABLE turns (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  status TEXT NOT NULL
    CHECK (status IN ('queued', 'running', 'waiting', 'done', 'failed', 'cancelled', 'interrupted')),
  text TEXT NOT NULL,
  user_id INTEGER NOT NULL,
  user_name TEXT NOT NULL,
  auth TEXT NOT NULL CHECK (auth IN ('loopback', 'session', 'token')),
  blueprint_id INTEGER REFERENCES blueprints (id),
  error TEXT,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER
) STRICT;
CREATE INDEX turns_workspace ON turns (workspace_id, id);
CREATE INDEX turns_open ON turns (status) WHERE status IN ('queued', 'running', 'waiting');

-- One agent's part of a turn. The orchestrator's run has no parent; a worker's was asked for by a tool call of its caller.
CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  turn_id INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  agent_id INTEGER NOT NULL REFERENCES agents (id),
  parent_run_id INTEGER REFERENCES runs (id) ON DELETE CASCADE,
  parent_call_id TEXT,
  depth INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running', 'done', 'failed', 'cancelled', 'interrupted')),
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
CREATE INDEX runs_turn ON runs (turn_id);
CREATE UNIQUE INDEX runs_call ON runs (turn_id, parent_call_id) WHERE parent_call_id IS NOT NULL;

-- The conversation. `thread` 0 is the orchestrator's, replayed from turn to turn; otherwise it is the run of a worker.
-- What an entry says never changes; `forgotten_at` only takes it out of the replay.
CREATE TABLE entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  turn_id INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  agent_id INTEGER NOT NULL REFERENCES agents (id),
  thread INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('person', 'task', 'agent', 'tool')),
  text TEXT NOT NULL,
  reasoning TEXT,
  calls TEXT,
  call_id TEXT,
  tool TEXT,
  outcome TEXT CHECK (outcome IN ('ok', 'error', 'cancelled', 'interrupted', 'unknown')),
  partial INTEGER NOT NULL DEFAULT 0 CHECK (partial IN (0, 1)),
  forgotten_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX entries_thread ON entries (workspace_id, thread, id);
CREATE INDEX entries_turn ON entries (turn_id, id);

-- Every tool call with its state, so that a crash in the middle is known for what it was.
CREATE TABLE tool_calls (
  call_id TEXT PRIMARY KEY,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  turn_id INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  tool TEXT NOT NULL,
  arguments TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('asked', 'started', 'done')),
  started_at INTEGER,
  finished_at INTEGER
) STRICT;
CREATE INDEX tool_calls_run ON tool_calls (run_id, position);
CREATE INDEX tool_calls_open ON tool_calls (workspace_id) WHERE state <> 'done';

-- Parts of prompts that are not entries (roles, tool lists, repaired entries), by content: many calls share them.
CREATE TABLE prompt_parts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  content TEXT NOT NULL,
  UNIQUE (workspace_id, hash)
) STRICT;

-- Every model call as it was sent. `parts` names prompt parts and ranges of entries: `p3,e12-40,p9`.
CREATE TABLE calls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  turn_id INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  agent_id INTEGER NOT NULL REFERENCES agents (id),
  round INTEGER NOT NULL,
  model_id INTEGER NOT NULL,
  model_name TEXT NOT NULL,
  provider_name TEXT NOT NULL,
  protocol TEXT NOT NULL,
  parts TEXT NOT NULL,
  settings TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running', 'done', 'failed', 'cancelled', 'interrupted')),
  attempts INTEGER NOT NULL DEFAULT 0,
  finish TEXT,
  error TEXT,
  input_tokens INTEGER,
  cached_input_tokens INTEGER,
  output_tokens INTEGER,
  cost REAL,
  started_at INTEGER NOT NULL,
  first_chunk_ms INTEGER,
  duration_ms INTEGER
) STRICT;
CREATE INDEX calls_turn ON calls (turn_id, id);
CREATE INDEX calls_agent ON calls (workspace_id, agent_id);

-- What was spent, per agent, turn and day. A delegate's spending counts for its callers too; agent 0 is the whole workspace.
CREATE TABLE spending (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  agent_id INTEGER NOT NULL,
  day TEXT NOT NULL,
  turn_id INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  cost REAL NOT NULL,
  PRIMARY KEY (workspace_id, agent_id, day, turn_id)
) STRICT, WITHOUT ROWID;

-- Everything that happened in a workspace, in order; what viewers resume from.
CREATE TABLE events (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id INTEGER NOT NULL,
  turn_id INTEGER,
  type TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT;
CREATE INDEX events_turn ON events (turn_id, id) WHERE turn_id IS NOT NULL;

-- Decisions of people, as a hash chain. `audit_head` anchors its end, so that a cut tail is found.
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY,
  record TEXT NOT NULL,
  prev TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE TABLE audit_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
INSERT INTO audit_head (id, seq, hash) VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');
