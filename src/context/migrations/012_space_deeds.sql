-- A change of a space that may have happened without its record and event: a space is another database, so one transaction cannot hold both. Stored
-- before the change, and replaced by the record and the event after it. `kind` and `proof` say how to find out after a crash whether it happened.
CREATE TABLE space_deeds (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  space TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('settings', 'snapshot', 'delete')),
  proof TEXT NOT NULL,
  -- JSON: the audit record, without its position in the chain, and the event
  record TEXT NOT NULL,
  event TEXT NOT NULL
) STRICT;
