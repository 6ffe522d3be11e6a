-- A turn that came in with an imported file: `user_id` is the person who imported it, `user_name` a name from the file that proves nothing.
ALTER TABLE turns ADD COLUMN imported INTEGER NOT NULL DEFAULT 0 CHECK (imported IN (0, 1));

-- Every turn that was sent here has events, and no imported one that nobody resumed.
UPDATE turns SET imported = 1 WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.turn_id = turns.id) AND acting_request_id = '';
