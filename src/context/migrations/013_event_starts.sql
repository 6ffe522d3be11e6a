-- The first event of the space: earlier ones are of a deleted space of the same name.
ALTER TABLE event_sources ADD COLUMN first INTEGER NOT NULL DEFAULT 1;

UPDATE event_sources
SET first = 1 + coalesce((SELECT max(seq) FROM events WHERE type = 'space.delete' AND events.space = event_sources.space), 0);
