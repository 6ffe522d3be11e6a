-- When a turn read untrusted text from outside; from then on it makes no durable write.
ALTER TABLE turns ADD COLUMN tainted_at INTEGER;

-- Tells this installation's containers from those of others on the same machine: random, and the same over restarts.
CREATE TABLE installation (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  name TEXT NOT NULL
) STRICT;
INSERT INTO installation (id, name) VALUES (1, lower(hex(randomblob(8))));
