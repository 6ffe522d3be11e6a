-- The documents whose staleness was announced, with the time from which they were stale, so that each window is announced once.
CREATE TABLE stale_documents (
  space TEXT NOT NULL,
  path TEXT NOT NULL,
  due TEXT NOT NULL,
  PRIMARY KEY (space, path)
) STRICT, WITHOUT ROWID;
