-- Sessions of people who signed in to the console with a password. The cookie is no token of the API; only its hash is stored.

CREATE TABLE console_sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL
) STRICT;
CREATE INDEX console_sessions_by_user ON console_sessions (user_id);
