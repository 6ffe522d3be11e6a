-- The records of committed changes of this database, until they are in the audit file for good. A record is stored with its change and removed
-- with the anchor after it, so that a crash loses neither and repeats none.
CREATE TABLE audit_pending (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  -- JSON, without its position in the chain
  record TEXT NOT NULL
) STRICT;
