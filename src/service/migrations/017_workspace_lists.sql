-- What people call a workspace; null: its name, which never changes. `archived_at`: hidden from lists, and nothing in it changes.
ALTER TABLE workspace_rows ADD COLUMN display_name TEXT;
ALTER TABLE workspace_rows ADD COLUMN archived_at INTEGER;
DROP VIEW workspaces;
CREATE VIEW workspaces AS
  SELECT id, name, name_key, description, branch, shared_branch, owner_id, budget, created_at, coalesce(display_name, name) AS display_name, archived_at
  FROM workspace_rows WHERE state = 'live';

-- When something last happened in a workspace: the time of its last event.
CREATE TABLE activity (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspace_rows (id) ON DELETE CASCADE,
  at INTEGER NOT NULL
) STRICT;
INSERT INTO activity (workspace_id, at)
  SELECT w.id, coalesce(
    (SELECT CAST(round((julianday(json_extract(e.content, '$.time')) - 2440587.5) * 86400000) AS INTEGER)
     FROM events e WHERE e.workspace_id = w.id ORDER BY e.id DESC LIMIT 1),
    w.created_at)
  FROM workspace_rows w;
