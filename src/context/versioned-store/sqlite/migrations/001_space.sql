-- A space: files, their versions, the log of changes, and what is read out of documents. Paths are canonical (kit/paths.ts).

-- One row: where the space is, and its running totals (what the live files are together, and how many versions are kept).
CREATE TABLE space (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  epoch TEXT NOT NULL,
  seq INTEGER NOT NULL,
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  versions INTEGER NOT NULL
) STRICT;

-- Content, once however often it is used. `uses` counts the versions that have it; at 0 the row goes.
CREATE TABLE blobs (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  uses INTEGER NOT NULL,
  coding TEXT NOT NULL CHECK (coding IN ('raw', 'zstd')),
  content BLOB NOT NULL
) STRICT;

-- `live`: the version that the file is now; null: deleted. `last`: the highest number that was ever given. `shown`: the live version, or of a
-- deleted file the one that was; size and hash repeat it, so that a listing reads one table. `folded`: the name that it takes on disks where
-- case does not count; null while it is deleted. `derived`: 1 when there are rows in links or front_matter.
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

-- `blob_id` null: destroyed, or pruned by retention. `seq`: the change that wrote it.
CREATE TABLE versions (
  file_id INTEGER NOT NULL REFERENCES files (id),
  version INTEGER NOT NULL,
  blob_id INTEGER REFERENCES blobs (id),
  size INTEGER NOT NULL,
  hash TEXT NOT NULL,
  author TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  gone TEXT CHECK (gone IN ('destroyed', 'pruned')),
  PRIMARY KEY (file_id, version),
  CHECK ((blob_id IS NULL) = (gone IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- What happened, in order. `version`: which one is live after it; null after a delete. For a destroy: the one that was destroyed.
CREATE TABLE changes (
  seq INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL REFERENCES files (id),
  op TEXT NOT NULL CHECK (op IN ('write', 'delete', 'undelete', 'destroy')),
  version INTEGER,
  author TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
-- Without the writes, which versions have: a write is one row and no more.
CREATE INDEX other_changes_by_file ON changes (file_id, seq) WHERE op <> 'write';

-- How far what follows the log has come: the working tree, the text index. The tree stays before the first change that is not in it.
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

-- Read out of the live version of each document, in the transaction that writes it.
CREATE TABLE links (
  file_id INTEGER NOT NULL REFERENCES files (id),
  position INTEGER NOT NULL,
  line INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('wiki', 'markdown', 'path')),
  target TEXT NOT NULL,
  PRIMARY KEY (file_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE front_matter (
  file_id INTEGER PRIMARY KEY REFERENCES files (id),
  fields TEXT NOT NULL
) STRICT;

-- Words of the live documents; brought up to date by sequence (followers.text) before a search answers.
CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');

INSERT INTO space (id, epoch, seq, files, bytes, versions) VALUES (1, '', 0, 0, 0, 0);
INSERT INTO followers (name, seq) VALUES ('tree', 0), ('text', 0);
