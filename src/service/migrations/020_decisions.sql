-- What people decided in a workspace, without its other events.
CREATE INDEX events_decisions ON events (workspace_id, id)
  WHERE type IN ('approval.decided', 'entry.taint_cleared', 'grant.created', 'grant.removed');

-- Who decided what about which version of a gear. Earlier decisions are taken from the audit.
CREATE TABLE gear_decisions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  gear_id INTEGER NOT NULL REFERENCES gears (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  hash TEXT NOT NULL,
  decision TEXT NOT NULL CHECK (decision IN ('approved', 'disabled', 'withdrawn')),
  isolated INTEGER NOT NULL CHECK (isolated IN (0, 1)),
  decided_by TEXT NOT NULL,
  auth TEXT NOT NULL CHECK (auth IN ('loopback', 'session', 'token')),
  decided_at INTEGER NOT NULL
) STRICT;
CREATE INDEX gear_decisions_gear ON gear_decisions (gear_id, id);
CREATE INDEX gear_decisions_version ON gear_decisions (gear_id, version, id);
INSERT INTO gear_decisions (gear_id, version, hash, decision, isolated, decided_by, auth, decided_at)
  SELECT g.id, a.version, a.hash,
    CASE a.action WHEN 'gear.approve' THEN 'approved' WHEN 'gear.disable' THEN 'disabled' ELSE 'withdrawn' END,
    coalesce(a.isolated, 0) = 1, a.actor, a.auth, CAST(round(unixepoch(a.time, 'subsec') * 1000) AS INTEGER)
  FROM (
    SELECT seq, valid ->> 'action' AS action, valid ->> 'target' AS target, valid ->> 'actor' AS actor, valid ->> 'auth' AS auth,
      valid ->> 'time' AS time, valid ->> 'content_hash' AS hash, valid ->> '$.detail.version' AS version,
      valid ->> '$.detail.isolated' AS isolated
    FROM (SELECT seq, CASE WHEN json_valid(record) THEN record END AS valid FROM audit)
  ) a JOIN gears g ON a.target = 'gear:' || g.id
  WHERE a.action IN ('gear.approve', 'gear.disable', 'gear.withdraw') AND a.auth IN ('loopback', 'session', 'token')
    AND typeof(a.version) = 'integer' AND a.hash IS NOT NULL AND a.actor IS NOT NULL AND unixepoch(a.time) IS NOT NULL
  ORDER BY a.seq;

-- Usage by day.
CREATE INDEX calls_days ON calls (workspace_id, started_at, id);
