-- What happened on a server, for streams that come back and for webhooks. Kept for a while; files of a space have their own log for ever.

CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  created INTEGER NOT NULL,
  space TEXT,
  path TEXT,
  version INTEGER,
  actor TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT;

-- How far the log of each space has been told, so that a crash between a commit and its event loses none.
CREATE TABLE event_sources (
  space TEXT PRIMARY KEY,
  epoch TEXT NOT NULL,
  seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
