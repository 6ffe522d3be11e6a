-- What anchors the audit file, and how far the changes of spaces are on record.

-- Where the file ended after the last anchored record; null: not known, from a version that did not store it.
ALTER TABLE audit_anchor ADD COLUMN bytes INTEGER;

-- A file that was not what was anchored. The statement stays, whatever is recorded afterwards; `acknowledged_at` null: it is still reported.
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

-- A beginning of the file whose chain is broken and was acknowledged: these bytes have this SHA-256, and the chain goes on after them.
CREATE TABLE audit_baseline (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  bytes INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;

-- Changes of a space up to `seq` are on record. Records of later ones can only stand behind `bytes` of the file.
CREATE TABLE audit_sources (
  space TEXT PRIMARY KEY,
  epoch TEXT NOT NULL,
  seq INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
