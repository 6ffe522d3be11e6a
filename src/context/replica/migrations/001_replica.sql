-- What this copy of a space knows about its server.
CREATE TABLE replica (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  server TEXT NOT NULL,
  space TEXT NOT NULL,
  user TEXT NOT NULL,
  -- `replica_files` shows the server as of this head. Null: the first clone is not finished.
  head TEXT,
  -- The server's sync rules as JSON.
  rules TEXT NOT NULL,
  -- The fingerprint of the local space when nothing was left to do; null: something may be.
  settled TEXT
) STRICT;

CREATE TABLE replica_files (
  path TEXT PRIMARY KEY,
  -- The server's live version; null: none.
  version INTEGER,
  hash TEXT,
  size INTEGER NOT NULL,
  author TEXT NOT NULL,
  -- The last content that both sides had; null: none. Its version on the server, and in the local space.
  base_hash TEXT,
  base_version INTEGER,
  base_local INTEGER,
  -- The hash of the content in a push that has no answer yet; empty: a delete.
  sent TEXT,
  -- Why a missing side does not mean a delete: see `Fresh` in schema.ts.
  fresh TEXT CHECK (fresh IN ('joined', 'restored')),
  CHECK ((version IS NULL) = (hash IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX replica_files_pending ON replica_files (path) WHERE hash IS NOT base_hash OR sent IS NOT NULL OR fresh IS NOT NULL;

-- Changes that one side refused. A push is not repeated until the content changes or a person asks for it. `hash`: the refused content; empty: a delete.
CREATE TABLE replica_held (
  path TEXT PRIMARY KEY,
  direction TEXT NOT NULL CHECK (direction IN ('up', 'down')),
  hash TEXT NOT NULL,
  code TEXT NOT NULL,
  reason TEXT NOT NULL
) STRICT, WITHOUT ROWID;
