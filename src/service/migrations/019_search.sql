-- The text index of everything that people look for. One row for each piece of a text; the id holds kind, subject and piece (search/items.ts).
-- A null `body` is the whole text of the entry, which never changes.
CREATE TABLE search_items (
  id INTEGER PRIMARY KEY,
  workspace_id INTEGER REFERENCES workspace_rows (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  body TEXT
) STRICT;
CREATE INDEX search_items_workspace ON search_items (workspace_id, id) WHERE workspace_id IS NOT NULL;
CREATE VIEW search_texts AS
  SELECT i.id, 'w' || coalesce(i.workspace_id, 0) AS place, i.title,
    coalesce(i.body, (SELECT e.text FROM entries e WHERE e.id = i.id / 64), '') AS body
  FROM search_items i;

-- `place` holds a word for the workspace. Prefixes of two and three letters have an index of their own, because they are typed most.
CREATE VIRTUAL TABLE search_index USING fts5 (
  place, title, body, content = 'search_texts', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);
CREATE TRIGGER search_items_added AFTER INSERT ON search_items BEGIN
  INSERT INTO search_index (rowid, place, title, body) SELECT t.id, t.place, t.title, t.body FROM search_texts t WHERE t.id = NEW.id;
END;
CREATE TRIGGER search_items_removed BEFORE DELETE ON search_items BEGIN
  INSERT INTO search_index (search_index, rowid, place, title, body)
    SELECT 'delete', t.id, t.place, t.title, t.body FROM search_texts t WHERE t.id = OLD.id;
END;

-- Files of workspaces as they were last seen on disk. `changes` counts the saves through the service.
CREATE TABLE search_files (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspace_rows (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified REAL NOT NULL,
  changes INTEGER NOT NULL,
  UNIQUE (workspace_id, path)
) STRICT;

-- What changed and is not indexed yet: written with the change, so that a crash loses nothing. The id is that of the first piece.
CREATE TABLE search_queue (id INTEGER PRIMARY KEY) STRICT;

CREATE TRIGGER search_entry_added AFTER INSERT ON entries BEGIN
  INSERT INTO search_queue (id) VALUES (NEW.id * 64) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_file_saved AFTER INSERT ON events WHEN NEW.type = 'file.saved' BEGIN
  INSERT INTO search_files (workspace_id, path, size, modified, changes)
    VALUES (NEW.workspace_id, json_extract(NEW.content, '$.data.path'), -1, 0, 1)
    ON CONFLICT (workspace_id, path) DO UPDATE SET size = -1, changes = changes + 1;
  INSERT INTO search_queue (id) SELECT (1 << 48) + f.id * 64 FROM search_files f
    WHERE f.workspace_id = NEW.workspace_id AND f.path = json_extract(NEW.content, '$.data.path') ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_instruction_added AFTER INSERT ON instructions BEGIN
  INSERT INTO search_queue (id) VALUES ((2 << 48) + NEW.id * 64) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_instruction_changed AFTER UPDATE ON instructions BEGIN
  INSERT INTO search_queue (id) VALUES ((2 << 48) + NEW.id * 64) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_instruction_removed AFTER DELETE ON instructions BEGIN
  INSERT INTO search_queue (id) VALUES ((2 << 48) + OLD.id * 64) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_gear_added AFTER INSERT ON gears BEGIN
  INSERT INTO search_queue (id) VALUES ((3 << 48) + NEW.id * 64) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_gear_changed AFTER UPDATE ON gears BEGIN
  INSERT INTO search_queue (id) VALUES ((3 << 48) + NEW.id * 64) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_agent_added AFTER INSERT ON agents BEGIN
  INSERT INTO search_queue (id) VALUES ((4 << 48) + NEW.id * 64) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_agent_changed AFTER UPDATE OF name, role, removed_at ON agents BEGIN
  INSERT INTO search_queue (id) VALUES ((4 << 48) + NEW.id * 64) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_workspace_added AFTER INSERT ON workspace_rows BEGIN
  INSERT INTO search_queue (id) VALUES ((5 << 48) + NEW.id * 64) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER search_workspace_changed AFTER UPDATE ON workspace_rows BEGIN
  INSERT INTO search_queue (id) VALUES ((5 << 48) + NEW.id * 64) ON CONFLICT DO NOTHING;
END;

-- What there is already is indexed in the background.
INSERT INTO search_queue (id) SELECT id * 64 FROM entries;
INSERT INTO search_queue (id) SELECT (2 << 48) + id * 64 FROM instructions;
INSERT INTO search_queue (id) SELECT (3 << 48) + id * 64 FROM gears WHERE deleted_at IS NULL;
INSERT INTO search_queue (id) SELECT (4 << 48) + id * 64 FROM agents WHERE removed_at IS NULL;
INSERT INTO search_queue (id) SELECT (5 << 48) + id * 64 FROM workspaces;
