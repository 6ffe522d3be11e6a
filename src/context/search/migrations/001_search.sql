-- The text index of one space. Everything here is derived from the files on disk: deleting the database costs only the time to build it again.

-- What was found on disk. `modified`, `changed` and `inode` are as the file system reports them; `modified` is -1 for a file that may still change
-- without a new time. `digest`: of the content; empty for a file that is not searched (not text, or too large).
CREATE TABLE searched (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  modified REAL NOT NULL,
  changed REAL NOT NULL,
  inode REAL NOT NULL,
  digest TEXT NOT NULL
) STRICT;

-- The words of the searched files, by the id of the file.
CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
