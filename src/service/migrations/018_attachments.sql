-- A file that people attach to messages, by content. The bytes lie in the data directory, under the workspace and the hash.
-- `text`: of a text file, or extracted from a PDF; null for an image. `used_at`: null until a message is sent with it; then it stays.
CREATE TABLE attachments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspace_rows (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('image', 'pdf', 'text')),
  media_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  width INTEGER,
  height INTEGER,
  pages INTEGER,
  text TEXT,
  text_tokens INTEGER,
  created_at INTEGER NOT NULL,
  used_at INTEGER,
  UNIQUE (workspace_id, hash)
) STRICT;
CREATE INDEX attachments_unused ON attachments (created_at) WHERE used_at IS NULL;
CREATE INDEX attachments_sizes ON attachments (workspace_id, bytes);

-- JSON array of what a message was sent with; null: nothing. It never changes, like the message's text.
ALTER TABLE turns ADD COLUMN attachments TEXT;
ALTER TABLE entries ADD COLUMN attachments TEXT;

-- What an admin says that the model reads; null: as its name and protocol suggest, unless its provider has refused such input.
ALTER TABLE models ADD COLUMN images INTEGER CHECK (images IN (0, 1));
ALTER TABLE models ADD COLUMN pdfs INTEGER CHECK (pdfs IN (0, 1));
ALTER TABLE models ADD COLUMN images_refused_at INTEGER;
ALTER TABLE models ADD COLUMN pdfs_refused_at INTEGER;
