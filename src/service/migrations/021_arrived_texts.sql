-- What has arrived of the answers that models are giving, in pieces that begin at a number of characters. A finished call has none.
CREATE TABLE arrived_texts (
  call_id INTEGER NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('text', 'reasoning')),
  start INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (call_id, kind, start)
) STRICT;
