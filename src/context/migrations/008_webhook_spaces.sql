-- JSON array of names. Null: every space, and events that belong to none. A name stays when its space is deleted.
ALTER TABLE webhooks ADD COLUMN spaces TEXT;
