-- The result of all migrations of this folder, for a new database, which then needs no history. Written by
-- UPDATE_GOLDEN=1 bun test tests/house/whole-schema.test.ts, which also holds it to them.

CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('admin', 'team-lead', 'member')),
  password_hash TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('token', 'session')),
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;

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
, output_tokens INTEGER, images INTEGER CHECK (images IN (0, 1)), pdfs INTEGER CHECK (pdfs IN (0, 1)), images_refused_at INTEGER, pdfs_refused_at INTEGER) STRICT;

CREATE TABLE "workspace_rows" (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  description TEXT NOT NULL,
  branch TEXT NOT NULL,
  shared_branch TEXT NOT NULL,
  owner_id INTEGER NOT NULL REFERENCES users (id),
  budget TEXT,
  created_at INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'coming', 'going')), display_name TEXT, archived_at INTEGER,
  UNIQUE (owner_id, name_key)
) STRICT;

CREATE TABLE workspace_teams (
  workspace_id INTEGER NOT NULL REFERENCES "workspace_rows" (id) ON DELETE CASCADE,
  team_id INTEGER NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  PRIMARY KEY (workspace_id, team_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE agents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES "workspace_rows" (id) ON DELETE CASCADE,
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

CREATE TABLE wires (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES "workspace_rows" (id) ON DELETE CASCADE,
  from_agent_id INTEGER NOT NULL REFERENCES agents (id),
  to_agent_id INTEGER NOT NULL REFERENCES agents (id),
  created_at INTEGER NOT NULL,
  UNIQUE (from_agent_id, to_agent_id),
  CHECK (from_agent_id <> to_agent_id)
) STRICT;

CREATE TABLE blueprints (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES "workspace_rows" (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  content TEXT NOT NULL,
  UNIQUE (workspace_id, hash)
) STRICT;

CREATE TABLE turns (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES "workspace_rows" (id) ON DELETE CASCADE,
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
, tainted_at INTEGER, acting_id INTEGER NOT NULL DEFAULT 0, acting_name TEXT NOT NULL DEFAULT '', acting_auth TEXT NOT NULL DEFAULT 'token' CHECK (acting_auth IN ('loopback', 'session', 'token')), acting_token_id INTEGER, acting_address TEXT NOT NULL DEFAULT '', acting_request_id TEXT NOT NULL DEFAULT '', stop_reason TEXT, truncated INTEGER NOT NULL DEFAULT 0 CHECK (truncated IN (0, 1)), number INTEGER NOT NULL DEFAULT 0, after_id INTEGER, is_placed INTEGER NOT NULL DEFAULT 0 CHECK (is_placed IN (0, 1)), model_id INTEGER, attachments TEXT, imported INTEGER NOT NULL DEFAULT 0 CHECK (imported IN (0, 1))) STRICT;

CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES "workspace_rows" (id) ON DELETE CASCADE,
  turn_id INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  agent_id INTEGER NOT NULL REFERENCES agents (id),
  parent_run_id INTEGER REFERENCES runs (id) ON DELETE CASCADE,
  parent_call_id TEXT,
  depth INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running', 'done', 'failed', 'cancelled', 'interrupted')),
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;

CREATE TABLE entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES "workspace_rows" (id) ON DELETE CASCADE,
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
, duration_ms INTEGER, truncated TEXT CHECK (truncated IN ('length', 'content_filter')), dropped_calls TEXT, tainted INTEGER NOT NULL DEFAULT 0 CHECK (tainted IN (0, 1)), input_tokens INTEGER, output_tokens INTEGER, attachments TEXT) STRICT;

CREATE TABLE tool_calls (
  call_id TEXT PRIMARY KEY,
  workspace_id INTEGER NOT NULL REFERENCES "workspace_rows" (id) ON DELETE CASCADE,
  turn_id INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  tool TEXT NOT NULL,
  arguments TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('asked', 'started', 'done')),
  started_at INTEGER,
  finished_at INTEGER
) STRICT;

CREATE TABLE prompt_parts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES "workspace_rows" (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  content TEXT NOT NULL,
  UNIQUE (workspace_id, hash)
) STRICT;

CREATE TABLE calls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES "workspace_rows" (id) ON DELETE CASCADE,
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
  started_at INTEGER NOT NULL,
  first_chunk_ms INTEGER,
  duration_ms INTEGER
, cost_nano INTEGER, http_status INTEGER) STRICT;

CREATE TABLE spending (
  workspace_id INTEGER NOT NULL REFERENCES "workspace_rows" (id) ON DELETE CASCADE,
  agent_id INTEGER NOT NULL,
  day TEXT NOT NULL,
  turn_id INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  cost_nano INTEGER NOT NULL DEFAULT 0, unpriced_calls INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, agent_id, day, turn_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  workspace_id INTEGER NOT NULL REFERENCES "workspace_rows" (id) ON DELETE CASCADE,
  id INTEGER NOT NULL,
  turn_id INTEGER,
  type TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT;

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
, canonical_from INTEGER NOT NULL DEFAULT 1) STRICT;

CREATE TABLE gears (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  tags TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'disabled')),
  version INTEGER NOT NULL,
  timeout_seconds INTEGER NOT NULL,
  tests TEXT NOT NULL,
  author_id INTEGER NOT NULL,
  author TEXT NOT NULL,
  forged_by TEXT,
  workspace_id INTEGER REFERENCES "workspace_rows" (id) ON DELETE SET NULL,
  approved_hash TEXT,
  approved_by_id INTEGER,
  approved_by TEXT,
  approved_auth TEXT CHECK (approved_auth IN ('loopback', 'session', 'token')),
  approved_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER, approved_isolated INTEGER CHECK (approved_isolated IN (0, 1)),
  CHECK ((status = 'approved') = (approved_hash IS NOT NULL))
) STRICT;

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
  created_at INTEGER NOT NULL, description TEXT NOT NULL DEFAULT '',
  UNIQUE (gear_id, version)
) STRICT;

CREATE TABLE gear_files (
  version_id INTEGER NOT NULL REFERENCES gear_versions (id),
  path TEXT NOT NULL,
  encoding TEXT NOT NULL CHECK (encoding IN ('utf8', 'base64')),
  content BLOB NOT NULL,
  PRIMARY KEY (version_id, path)
) STRICT;

CREATE TABLE gear_bindings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES "workspace_rows" (id) ON DELETE CASCADE,
  gear_id INTEGER NOT NULL REFERENCES gears (id),
  agent_id INTEGER REFERENCES agents (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) STRICT;

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

CREATE TABLE instruction_bindings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES "workspace_rows" (id) ON DELETE CASCADE,
  instruction_id INTEGER NOT NULL REFERENCES instructions (id) ON DELETE CASCADE,
  agent_id INTEGER REFERENCES agents (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE instruction_proposals (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES "workspace_rows" (id) ON DELETE CASCADE,
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
, characters INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE egress_grants (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES "workspace_rows" (id) ON DELETE CASCADE,
  agent_id INTEGER NOT NULL UNIQUE REFERENCES agents (id) ON DELETE CASCADE,
  granted_by_id INTEGER NOT NULL,
  granted_by TEXT NOT NULL,
  auth TEXT NOT NULL CHECK (auth IN ('loopback', 'session', 'token')),
  created_at INTEGER NOT NULL
) STRICT;

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

CREATE TABLE installation (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  name TEXT NOT NULL
) STRICT;

CREATE TABLE context_bindings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspace_rows (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  agent_id INTEGER REFERENCES agents (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE agent_branches (
  agent_id INTEGER PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
  workspace_id INTEGER NOT NULL REFERENCES workspace_rows (id) ON DELETE CASCADE,
  branch TEXT NOT NULL
) STRICT;

CREATE TABLE memory_writes (
  call_id TEXT PRIMARY KEY,
  workspace_id INTEGER NOT NULL REFERENCES workspace_rows (id) ON DELETE CASCADE,
  turn_id INTEGER NOT NULL,
  agent_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  version INTEGER NOT NULL,
  -- Null: the document did not exist.
  replaced INTEGER
) STRICT;

CREATE TABLE branch_tips (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspace_rows (id) ON DELETE CASCADE,
  turn_id INTEGER
) STRICT;

CREATE TABLE asides (
  turn_id INTEGER PRIMARY KEY,
  workspace_id INTEGER NOT NULL REFERENCES workspace_rows (id) ON DELETE CASCADE
) STRICT;

CREATE TABLE activity (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspace_rows (id) ON DELETE CASCADE,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE attachments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspace_rows (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('image', 'pdf', 'text')),
  media_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  width INTEGER,
  height INTEGER,
  pages INTEGER,
  text TEXT,
  text_tokens INTEGER,
  created_at INTEGER NOT NULL,
  used_at INTEGER,
  UNIQUE (workspace_id, hash)
) STRICT;

CREATE TABLE search_items (
  id INTEGER PRIMARY KEY,
  workspace_id INTEGER REFERENCES workspace_rows (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  body TEXT
) STRICT;

CREATE VIRTUAL TABLE search_index USING fts5 (
  place, title, body, content = 'search_texts', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);

CREATE TABLE search_files (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspace_rows (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified REAL NOT NULL,
  changes INTEGER NOT NULL,
  UNIQUE (workspace_id, path)
) STRICT;

CREATE TABLE search_queue (id INTEGER PRIMARY KEY) STRICT;

CREATE TABLE gear_decisions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  gear_id INTEGER NOT NULL REFERENCES gears (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  hash TEXT NOT NULL,
  decision TEXT NOT NULL CHECK (decision IN ('approved', 'disabled', 'withdrawn')),
  isolated INTEGER NOT NULL CHECK (isolated IN (0, 1)),
  decided_by TEXT NOT NULL,
  auth TEXT NOT NULL CHECK (auth IN ('loopback', 'session', 'token')),
  decided_at INTEGER NOT NULL
) STRICT;

CREATE TABLE arrived_texts (
  call_id INTEGER NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('text', 'reasoning')),
  start INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (call_id, kind, start)
) STRICT;

CREATE TABLE begun_saves (
  workspace_id INTEGER NOT NULL REFERENCES workspace_rows (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  version TEXT NOT NULL,
  size INTEGER NOT NULL,
  created INTEGER NOT NULL CHECK (created IN (0, 1)),
  saver TEXT NOT NULL,
  PRIMARY KEY (workspace_id, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX tokens_user ON tokens (user_id);

CREATE INDEX team_members_user ON team_members (user_id);

CREATE UNIQUE INDEX providers_name ON providers (name_key) WHERE deleted_at IS NULL;

CREATE INDEX models_provider ON models (provider_id);

CREATE INDEX workspace_teams_team ON workspace_teams (team_id);

CREATE UNIQUE INDEX agents_name ON agents (workspace_id, name_key) WHERE removed_at IS NULL;

CREATE UNIQUE INDEX agents_orchestrator ON agents (workspace_id) WHERE orchestrator = 1;

CREATE INDEX agents_model ON agents (model_id);

CREATE INDEX wires_workspace ON wires (workspace_id);

CREATE INDEX wires_to ON wires (to_agent_id);

CREATE INDEX turns_workspace ON turns (workspace_id, id);

CREATE INDEX turns_open ON turns (status) WHERE status IN ('queued', 'running', 'waiting');

CREATE INDEX runs_turn ON runs (turn_id);

CREATE UNIQUE INDEX runs_call ON runs (turn_id, parent_call_id) WHERE parent_call_id IS NOT NULL;

CREATE INDEX entries_thread ON entries (workspace_id, thread, id);

CREATE INDEX entries_turn ON entries (turn_id, id);

CREATE INDEX tool_calls_run ON tool_calls (run_id, position);

CREATE INDEX tool_calls_open ON tool_calls (workspace_id) WHERE state <> 'done';

CREATE INDEX calls_turn ON calls (turn_id, id);

CREATE INDEX events_turn ON events (turn_id, id) WHERE turn_id IS NOT NULL;

CREATE UNIQUE INDEX gears_name ON gears (name) WHERE deleted_at IS NULL;

CREATE INDEX gears_pending ON gears (updated_at) WHERE status = 'pending' AND deleted_at IS NULL;

CREATE UNIQUE INDEX gear_bindings_one ON gear_bindings (workspace_id, gear_id, coalesce(agent_id, 0));

CREATE INDEX gear_bindings_gear ON gear_bindings (gear_id);

CREATE INDEX gear_bindings_agent ON gear_bindings (agent_id);

CREATE INDEX gear_runs_gear ON gear_runs (gear_id, id);

CREATE INDEX gear_runs_open ON gear_runs (status) WHERE status = 'running';

CREATE UNIQUE INDEX instruction_bindings_one ON instruction_bindings (workspace_id, instruction_id, coalesce(agent_id, 0));

CREATE INDEX instruction_bindings_instruction ON instruction_bindings (instruction_id);

CREATE INDEX instruction_bindings_agent ON instruction_bindings (agent_id) WHERE agent_id IS NOT NULL;

CREATE INDEX instruction_proposals_workspace ON instruction_proposals (workspace_id, id);

CREATE INDEX instruction_proposals_instruction ON instruction_proposals (instruction_id) WHERE instruction_id IS NOT NULL;

CREATE INDEX egress_grants_workspace ON egress_grants (workspace_id);

CREATE INDEX egress_requests_open ON egress_requests (expires_at) WHERE state IN ('pending', 'approved');

CREATE INDEX gear_runs_turn ON gear_runs (turn_id) WHERE turn_id IS NOT NULL;

CREATE INDEX entries_tainted ON entries (workspace_id, thread) WHERE tainted = 1 AND forgotten_at IS NULL;

CREATE INDEX gear_versions_unhashed ON gear_versions (id) WHERE hash = '';

CREATE UNIQUE INDEX models_name ON models (provider_id, model_name) WHERE deleted_at IS NULL;

CREATE INDEX entries_workspace ON entries (workspace_id, id);

CREATE INDEX calls_usage
  ON calls (workspace_id, agent_id, status, input_tokens, cached_input_tokens, output_tokens, cost_nano);

CREATE INDEX agents_workspace ON agents (workspace_id);

CREATE INDEX runs_workspace ON runs (workspace_id);

CREATE INDEX tool_calls_workspace ON tool_calls (workspace_id);

CREATE INDEX workspace_rows_not_live ON workspace_rows (id) WHERE state <> 'live';

CREATE INDEX turns_blueprint ON turns (blueprint_id);

CREATE INDEX runs_parent ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL;

CREATE INDEX runs_agent ON runs (agent_id);

CREATE INDEX entries_run ON entries (run_id);

CREATE INDEX entries_agent ON entries (agent_id);

CREATE INDEX tool_calls_turn ON tool_calls (turn_id);

CREATE INDEX calls_run ON calls (run_id);

CREATE INDEX calls_agent ON calls (agent_id);

CREATE INDEX gears_workspace ON gears (workspace_id) WHERE workspace_id IS NOT NULL;

CREATE UNIQUE INDEX context_bindings_one ON context_bindings (workspace_id, path, coalesce(agent_id, 0));

CREATE INDEX context_bindings_agent ON context_bindings (agent_id) WHERE agent_id IS NOT NULL;

CREATE UNIQUE INDEX agent_branches_one ON agent_branches (workspace_id, branch);

CREATE INDEX memory_writes_document ON memory_writes (workspace_id, path, version);

CREATE INDEX memory_writes_turn ON memory_writes (workspace_id, turn_id);

CREATE INDEX turns_after ON turns (workspace_id, after_id) WHERE started_at IS NOT NULL;

CREATE INDEX asides_workspace ON asides (workspace_id);

CREATE INDEX attachments_unused ON attachments (created_at) WHERE used_at IS NULL;

CREATE INDEX attachments_sizes ON attachments (workspace_id, bytes);

CREATE INDEX search_items_workspace ON search_items (workspace_id, id) WHERE workspace_id IS NOT NULL;

CREATE INDEX events_decisions ON events (workspace_id, id)
  WHERE type IN ('approval.decided', 'entry.taint_cleared', 'grant.created', 'grant.removed');

CREATE INDEX gear_decisions_gear ON gear_decisions (gear_id, id);

CREATE INDEX gear_decisions_version ON gear_decisions (gear_id, version, id);

CREATE INDEX calls_days ON calls (workspace_id, started_at, id);

CREATE INDEX instructions_list ON instructions (name_key, name, version, author_id, author, created_at, updated_at);

CREATE INDEX instructions_facts ON instructions (id, name_key, name, version);

CREATE INDEX instruction_proposals_pending ON instruction_proposals (
  id, workspace_id, instruction_id, base_version, name, name_key, hash, agent, user_name, tainted, characters, created_at
) WHERE status = 'pending';

CREATE INDEX instruction_proposals_open ON instruction_proposals (workspace_id, hash, base_version) WHERE status = 'pending';

CREATE VIEW workspaces AS
  SELECT id, name, name_key, description, branch, shared_branch, owner_id, budget, created_at, coalesce(display_name, name) AS display_name, archived_at
  FROM workspace_rows WHERE state = 'live';

CREATE VIEW search_texts AS
  SELECT i.id, 'w' || coalesce(i.workspace_id, 0) AS place, i.title,
    coalesce(i.body, (SELECT e.text FROM entries e WHERE e.id = i.id / 64), '') AS body
  FROM search_items i;

CREATE TRIGGER search_items_added AFTER INSERT ON search_items BEGIN
  INSERT INTO search_index (rowid, place, title, body) SELECT t.id, t.place, t.title, t.body FROM search_texts t WHERE t.id = NEW.id;
END;

CREATE TRIGGER search_items_removed BEFORE DELETE ON search_items BEGIN
  INSERT INTO search_index (search_index, rowid, place, title, body)
    SELECT 'delete', t.id, t.place, t.title, t.body FROM search_texts t WHERE t.id = OLD.id;
END;

CREATE TRIGGER search_entry_added AFTER INSERT ON entries BEGIN
  INSERT INTO search_queue (id) VALUES (NEW.id * 64) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_file_saved AFTER INSERT ON events WHEN NEW.type = 'file.saved' BEGIN
  INSERT INTO search_files (workspace_id, path, size, modified, changes)
    VALUES (NEW.workspace_id, json_extract(NEW.content, '$.data.path'), -1, 0, 1)
    ON CONFLICT (workspace_id, path) DO UPDATE SET size = -1, changes = changes + 1;
  INSERT INTO search_queue (id) SELECT (1 << 48) + f.id * 64 FROM search_files f
    WHERE f.workspace_id = NEW.workspace_id AND f.path = json_extract(NEW.content, '$.data.path') ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_instruction_added AFTER INSERT ON instructions BEGIN
  INSERT INTO search_queue (id) VALUES ((2 << 48) + NEW.id * 64) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_instruction_changed AFTER UPDATE ON instructions BEGIN
  INSERT INTO search_queue (id) VALUES ((2 << 48) + NEW.id * 64) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_instruction_removed AFTER DELETE ON instructions BEGIN
  INSERT INTO search_queue (id) VALUES ((2 << 48) + OLD.id * 64) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_gear_added AFTER INSERT ON gears BEGIN
  INSERT INTO search_queue (id) VALUES ((3 << 48) + NEW.id * 64) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_gear_changed AFTER UPDATE ON gears BEGIN
  INSERT INTO search_queue (id) VALUES ((3 << 48) + NEW.id * 64) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_agent_added AFTER INSERT ON agents BEGIN
  INSERT INTO search_queue (id) VALUES ((4 << 48) + NEW.id * 64) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_agent_changed AFTER UPDATE OF name, role, removed_at ON agents BEGIN
  INSERT INTO search_queue (id) VALUES ((4 << 48) + NEW.id * 64) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_workspace_added AFTER INSERT ON workspace_rows BEGIN
  INSERT INTO search_queue (id) VALUES ((5 << 48) + NEW.id * 64) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_workspace_changed AFTER UPDATE ON workspace_rows BEGIN
  INSERT INTO search_queue (id) VALUES ((5 << 48) + NEW.id * 64) ON CONFLICT DO NOTHING;
END;

INSERT INTO "audit_head" ("id", "seq", "hash", "canonical_from") VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000', 1);

INSERT INTO "installation" ("id", "name") VALUES (1, lower(hex(randomblob(8))));
