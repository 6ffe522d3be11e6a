-- What the space is: the content of .cairn/space.yaml, so that a lost file is written again. `written`: SHA-256 of the file that was written
-- with it; `before`: of the one that it replaced. A file with neither was edited by hand.
CREATE TABLE metadata (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  content TEXT NOT NULL,
  written TEXT NOT NULL,
  before TEXT
) STRICT;
