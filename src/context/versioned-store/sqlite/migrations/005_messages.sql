-- What the author said about a version, in a few words; null: nothing.
ALTER TABLE versions ADD COLUMN message TEXT;
