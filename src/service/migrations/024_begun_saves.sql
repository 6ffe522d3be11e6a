-- A save of a file that may have happened without its record: stored before the file is replaced, and deleted in the write of the record. After a
-- crash the file says whether it happened. `saver`: who saved, with their credential and request, as JSON.
CREATE TABLE begun_saves (
  workspace_id INTEGER NOT NULL REFERENCES workspace_rows (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  version TEXT NOT NULL,
  size INTEGER NOT NULL,
  created INTEGER NOT NULL CHECK (created IN (0, 1)),
  saver TEXT NOT NULL,
  PRIMARY KEY (workspace_id, path)
) STRICT, WITHOUT ROWID;
