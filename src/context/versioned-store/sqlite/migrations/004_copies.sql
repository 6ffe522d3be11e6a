-- What the file system says about copies in the working tree (signature.ts). As long as it says the same, the copy is that version; otherwise the
-- row says nothing.
CREATE TABLE copies (
  file_id INTEGER PRIMARY KEY REFERENCES files (id),
  version INTEGER NOT NULL,
  modified REAL NOT NULL,
  changed REAL NOT NULL,
  inode REAL NOT NULL
) STRICT;

-- The text index has a database of its own now (src/context/search), where workers can use it.
DROP TABLE words;
DELETE FROM followers WHERE name = 'text';
