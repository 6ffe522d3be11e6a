-- What the whole working tree looked like when the index had nothing to add: while it looks the same, no file has to be compared.
CREATE TABLE looks (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  fingerprint TEXT NOT NULL
) STRICT;
