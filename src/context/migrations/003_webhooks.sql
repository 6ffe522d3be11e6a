-- Webhooks and what was sent to them. `cursor`: the last event that is done for the hook, so that a crash loses none.

CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,
  -- JSON array: exact types, `file.*`, `*`.
  events TEXT NOT NULL,
  -- Signs what is sent, so it has to be readable; shown once.
  secret TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1,
  cursor INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  -- Made by the operator of the machine, who is no user and sees everything.
  by_operator INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE webhook_deliveries (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  -- Null: a test or one that was sent again by hand.
  event_seq INTEGER,
  type TEXT NOT NULL,
  body TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'failed')),
  tries INTEGER NOT NULL DEFAULT 0,
  status INTEGER,
  error TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (webhook_id, event_seq)
) STRICT;
