-- Which tool call wrote which version of a document, so that versions lead to turns, and chips to versions.
CREATE TABLE memory_writes (
  call_id TEXT PRIMARY KEY,
  workspace_id INTEGER NOT NULL REFERENCES workspace_rows (id) ON DELETE CASCADE,
  turn_id INTEGER NOT NULL,
  agent_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  version INTEGER NOT NULL,
  -- Null: the document did not exist.
  replaced INTEGER
) STRICT;
CREATE INDEX memory_writes_document ON memory_writes (workspace_id, path, version);
CREATE INDEX memory_writes_turn ON memory_writes (workspace_id, turn_id);
