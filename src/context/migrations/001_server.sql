-- A server's own database: people, their credentials and rights, and what anchors the audit file. Spaces are folders of their own.

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

-- Only hashes. `expires_at` null: whatever the configuration says about the age of tokens.
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
CREATE INDEX tokens_by_user ON tokens (user_id);

CREATE TABLE acl (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  effect TEXT NOT NULL CHECK (effect IN ('allow', 'deny')),
  path TEXT NOT NULL,
  -- JSON array
  capabilities TEXT NOT NULL
) STRICT;
CREATE INDEX acl_by_user ON acl (user_id);

-- How many records the audit file had, and the hash of the last one.
CREATE TABLE audit_anchor (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  entries INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
