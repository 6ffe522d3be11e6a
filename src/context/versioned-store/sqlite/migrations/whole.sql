-- The result of all migrations of this folder, for a new database, which then needs no history. Written by
-- UPDATE_GOLDEN=1 bun test tests/house/whole-schema.test.ts, which also holds it to them.

CREATE TABLE space (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  epoch TEXT NOT NULL,
  seq INTEGER NOT NULL,
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  versions INTEGER NOT NULL
) STRICT;

CREATE TABLE blobs (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  uses INTEGER NOT NULL,
  coding TEXT NOT NULL CHECK (coding IN ('raw', 'zstd')),
  content BLOB NOT NULL
) STRICT;

CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  folded TEXT UNIQUE,
  live INTEGER,
  last INTEGER NOT NULL,
  shown INTEGER NOT NULL,
  size INTEGER NOT NULL,
  hash TEXT NOT NULL,
  author TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  derived INTEGER NOT NULL CHECK (derived IN (0, 1)),
  CHECK ((live IS NULL) = (folded IS NULL))
) STRICT;

CREATE TABLE versions (
  file_id INTEGER NOT NULL REFERENCES files (id),
  version INTEGER NOT NULL,
  blob_id INTEGER REFERENCES blobs (id),
  size INTEGER NOT NULL,
  hash TEXT NOT NULL,
  author TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  gone TEXT CHECK (gone IN ('destroyed', 'pruned')), message TEXT,
  PRIMARY KEY (file_id, version),
  CHECK ((blob_id IS NULL) = (gone IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE changes (
  seq INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL REFERENCES files (id),
  op TEXT NOT NULL CHECK (op IN ('write', 'delete', 'undelete', 'destroy')),
  version INTEGER,
  author TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE followers (
  name TEXT PRIMARY KEY,
  seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshots (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  seq INTEGER NOT NULL,
  author TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE front_matter (
  file_id INTEGER PRIMARY KEY REFERENCES files (id),
  fields TEXT NOT NULL
) STRICT;

CREATE TABLE metadata (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  content TEXT NOT NULL,
  written TEXT NOT NULL,
  before TEXT
) STRICT;

CREATE TABLE copies (
  file_id INTEGER PRIMARY KEY REFERENCES files (id),
  version INTEGER NOT NULL,
  modified REAL NOT NULL,
  changed REAL NOT NULL,
  inode REAL NOT NULL
) STRICT;

CREATE TABLE link_lists (
  file_id INTEGER PRIMARY KEY REFERENCES files (id),
  count INTEGER NOT NULL,
  -- A flat JSON list in the order of the document: line, kind, target, line, kind, target, …
  links TEXT NOT NULL
) STRICT;

CREATE INDEX other_changes_by_file ON changes (file_id, seq) WHERE op <> 'write';

CREATE INDEX blobs_pending ON blobs (id) WHERE uses = 0;

INSERT INTO "space" ("id", "epoch", "seq", "files", "bytes", "versions") VALUES (1, '', 0, 0, 0, 0);

INSERT INTO "followers" ("name", "seq") VALUES ('tree', 0);
