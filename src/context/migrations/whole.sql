-- The result of all migrations of this folder, for a new database, which then needs no history. Written by
-- UPDATE_GOLDEN=1 bun test tests/house/whole-schema.test.ts, which also holds it to them.

CREATE TABLE users (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('admin', 'space-lead', 'contributor', 'viewer')),
  -- JSON array of names; null: the role counts in every space.
  spaces TEXT,
  password_hash TEXT,
  disabled INTEGER NOT NULL DEFAULT 0,
  failed_logins INTEGER NOT NULL DEFAULT 0,
  locked_until INTEGER,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('token', 'bootstrap', 'session')),
  label TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  expires_at INTEGER
) STRICT;

CREATE TABLE acl (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  effect TEXT NOT NULL CHECK (effect IN ('allow', 'deny')),
  path TEXT NOT NULL,
  -- JSON array
  capabilities TEXT NOT NULL
) STRICT;

CREATE TABLE audit_anchor (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  entries INTEGER NOT NULL,
  hash TEXT NOT NULL
, bytes INTEGER, closed INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  created INTEGER NOT NULL,
  space TEXT,
  path TEXT,
  version INTEGER,
  actor TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT;

CREATE TABLE event_sources (
  space TEXT PRIMARY KEY,
  epoch TEXT NOT NULL,
  seq INTEGER NOT NULL
, first INTEGER NOT NULL DEFAULT 1) STRICT, WITHOUT ROWID;

CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,
  -- JSON array: exact types, `file.*`, `*`.
  events TEXT NOT NULL,
  -- Signs what is sent, so it has to be readable; shown once.
  secret TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1,
  cursor INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  -- Made by the operator of the machine, who is no user and sees everything.
  by_operator INTEGER NOT NULL,
  created_at INTEGER NOT NULL
, dropped INTEGER NOT NULL DEFAULT 0, spaces TEXT) STRICT;

CREATE TABLE webhook_deliveries (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  -- Null: a test or one that was sent again by hand.
  event_seq INTEGER,
  type TEXT NOT NULL,
  body TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'failed')),
  tries INTEGER NOT NULL DEFAULT 0,
  status INTEGER,
  error TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (webhook_id, event_seq)
) STRICT;

CREATE TABLE audit_breaks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  noticed_at INTEGER NOT NULL,
  line INTEGER NOT NULL,
  problem TEXT NOT NULL,
  expected_entries INTEGER NOT NULL,
  expected_hash TEXT NOT NULL,
  found_entries INTEGER NOT NULL,
  found_hash TEXT NOT NULL,
  acknowledged_at INTEGER,
  acknowledged_by TEXT
) STRICT;

CREATE TABLE audit_baseline (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  bytes INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;

CREATE TABLE audit_sources (
  space TEXT PRIMARY KEY,
  epoch TEXT NOT NULL,
  seq INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE console_sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL
) STRICT;

CREATE TABLE stale_documents (
  space TEXT NOT NULL,
  path TEXT NOT NULL,
  due TEXT NOT NULL, epoch TEXT,
  PRIMARY KEY (space, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit_pending (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  -- JSON, without its position in the chain
  record TEXT NOT NULL
) STRICT;

CREATE TABLE space_deeds (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  space TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('settings', 'snapshot', 'delete')),
  proof TEXT NOT NULL,
  -- JSON: the audit record, without its position in the chain, and the event
  record TEXT NOT NULL,
  event TEXT NOT NULL
) STRICT;

CREATE INDEX tokens_by_user ON tokens (user_id);

CREATE INDEX acl_by_user ON acl (user_id);

CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id, number) WHERE state = 'waiting';

CREATE INDEX console_sessions_by_user ON console_sessions (user_id);
