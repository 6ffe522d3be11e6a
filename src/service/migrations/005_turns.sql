-- When a turn read untrusted text from outside; from then on it makes no durable write.
ALTER TABLE turns ADD COLUMN tainted_at INTEGER;
